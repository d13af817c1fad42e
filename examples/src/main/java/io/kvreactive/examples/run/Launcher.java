package io.kvreactive.examples.run;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Timed;

/**
 * Runs a program on a store: opens Vert.x and the store, and closes both however the program ends.
 *
 * @param name of the example and its directory
 */
public record Launcher(String name, Screen screen) {
  private static final int OK = 0;
  private static final int FAILED = 1;
  private static final int USAGE = 2;

  /** Emits the exit status; never an error. */
  public Mono<Integer> run(String[] args, Program program) {
    Path preset = Path.of("data", "examples", name);
    return Mono.fromSupplier(() -> Arguments.parse(args, preset))
        .flatMap(arguments -> run(arguments.path(), program))
        .onErrorResume(this::failed);
  }

  private Mono<Integer> run(Path directory, Program program) {
    return Mono.usingWhen(
            Mono.fromSupplier(Vertx::vertx),
            vertx -> withStore(vertx, directory, program),
            vertx -> Mono.fromCompletionStage(() -> vertx.close().toCompletionStage()))
        .thenReturn(OK);
  }

  private Mono<Void> withStore(Vertx vertx, Path directory, Program program) {
    return Mono.usingWhen(opened(vertx, directory), kv -> program.run(kv, screen), Kv::close);
  }

  private Mono<Kv> opened(Vertx vertx, Path directory) {
    return Kv.open(vertx, KvOptions.at(directory).withName(name))
        .timed()
        .doOnNext(
            opened ->
                screen.line(
                    "opened %s in %d ms", directory, opened.elapsedSinceSubscription().toMillis()))
        .map(Timed::get);
  }

  private Mono<Integer> failed(Throwable error) {
    return Mono.fromSupplier(
        () -> {
          boolean usage = error instanceof Arguments.Unusable;
          screen.error(
              usage ? error.getMessage() + "\nusage: " + name + " [--path DIR]" : text(error));
          return usage ? USAGE : FAILED;
        });
  }

  private static String text(Throwable error) {
    String message = error.getMessage();
    return message == null ? error.toString() : message;
  }
}
