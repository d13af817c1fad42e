package io.kvreactive.examples.run;

import io.kvreactive.Kv;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;

/**
 * Runs a server until the process is stopped. Opens Vert.x and a store with the name of the
 * example, and closes both at the end.
 *
 * @param name the name of the example, of its store and of its directory
 */
public record ServerLauncher(String name, Screen screen) {
  private static final Size PORT = new Size("port", 8080, 0); // 0 for any free port

  /** A service that runs on an open store. */
  @FunctionalInterface
  public interface Service {
    /** Starts the service. Completes with its URL. */
    Future<String> start(Vertx vertx, Kv kv, int port);
  }

  /**
   * Starts the service and returns when it is available. Otherwise ends the process with status 2
   * for a usage error, or 1.
   */
  public void run(String[] args, Service service) {
    Arguments arguments;
    try {
      arguments = Arguments.parse(args, new Arguments(Path.of("data", "examples", name), PORT));
    } catch (Arguments.Unusable e) {
      screen.error(
          e.getMessage() + "\nusage: " + name + " [--path DIR] [--port N]" + Arguments.URL_USAGE);
      System.exit(2);
      return;
    }
    Vertx vertx = Vertx.vertx();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> close(vertx)));
    arguments
        .open(vertx, name, options -> options)
        .subscribe(
            kv ->
                service
                    .start(vertx, kv, arguments.size().count())
                    .onSuccess(url -> screen.line("%s  (Ctrl-C ends it)", url))
                    .onFailure(this::failed),
            this::failed);
  }

  /**
   * Closes Vert.x. It undeploys the service first, then the verticle of the store, which makes all
   * commits durable.
   */
  private static void close(Vertx vertx) {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private void failed(Throwable error) {
    screen.error(String.valueOf(error.getMessage()));
    new Thread(() -> System.exit(1))
        .start(); // on another thread, because the shutdown hook waits for the Vert.x of this one
  }
}
