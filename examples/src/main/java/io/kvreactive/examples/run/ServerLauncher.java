package io.kvreactive.examples.run;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;

/**
 * Runs a program that serves until the process is told to end: opens Vert.x and a store named like
 * the example, and closes both then.
 *
 * @param name of the example, its store and its directory
 */
public record ServerLauncher(String name, Screen screen) {
  private static final Size PORT = new Size("port", 8080);

  /** What serves. */
  @FunctionalInterface
  public interface Service {
    /** Starts to serve, and tells under which URL. */
    Future<String> start(Vertx vertx, Kv kv, int port);
  }

  /** Returns when it serves; ends the process with status 2 or 1 when it cannot. */
  public void run(String[] args, Service service) {
    Arguments arguments;
    try {
      arguments = Arguments.parse(args, new Arguments(Path.of("data", "examples", name), PORT));
    } catch (Arguments.Unusable e) {
      screen.error(e.getMessage() + "\nusage: " + name + " [--path DIR] [--port N]");
      System.exit(2);
      return;
    }
    Vertx vertx = Vertx.vertx();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> close(vertx)));
    Kv.open(vertx, KvOptions.at(arguments.path()).withName(name))
        .subscribe(
            kv ->
                service
                    .start(vertx, kv, arguments.size().count())
                    .onSuccess(url -> screen.line("%s  (Ctrl-C ends it)", url))
                    .onFailure(this::failed),
            this::failed);
  }

  /** Vert.x undeploys the services first, then the store's verticle, which makes all durable. */
  private static void close(Vertx vertx) {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private void failed(Throwable error) {
    screen.error(String.valueOf(error.getMessage()));
    new Thread(() -> System.exit(1)).start(); // not here: the hook waits for this thread's Vert.x
  }
}
