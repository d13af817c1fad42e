package io.kvreactive.examples.run;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Timed;

/**
 * Runs a program on a store. Opens Vert.x and the store, and closes both when the program ends.
 *
 * @param name the name of the example and of its directory
 * @param options changes the options of the store
 */
public record Launcher(String name, Screen screen, UnaryOperator<KvOptions> options) {
  private static final int OK = 0;
  private static final int FAILED = 1;
  private static final int USAGE = 2;

  /** Creates a launcher with the default options of the store. */
  public Launcher(String name, Screen screen) {
    this(name, screen, UnaryOperator.identity());
  }

  /** Runs a program. Emits the exit status, and never an error. */
  public Mono<Integer> run(String[] args, Program program) {
    return run(args, Size.NONE, (kv, screen, count) -> program.run(kv, screen));
  }

  /** Runs a program with a size. Emits the exit status, and never an error. */
  public Mono<Integer> run(String[] args, Size size, Program.Sized program) {
    return run(
        args, size, Operands.NONE, (kv, screen, count, operands) -> program.run(kv, screen, count));
  }

  /** Runs a program with a size and operands. Emits the exit status, and never an error. */
  public Mono<Integer> run(
      String[] args, Size size, Operands operands, Program.WithOperands program) {
    Arguments preset = new Arguments(Path.of("data", "examples", name), size, operands);
    return Mono.fromSupplier(() -> Arguments.parse(args, preset))
        .flatMap(
            arguments ->
                run(
                    arguments,
                    (kv, on) ->
                        program.run(
                            kv, on, arguments.size().count(), arguments.operands().values())))
        .onErrorResume(error -> failed(error, preset));
  }

  private Mono<Integer> run(Arguments arguments, Program program) {
    return Mono.usingWhen(
            Mono.fromSupplier(Vertx::vertx),
            vertx -> withStore(vertx, arguments, program),
            vertx -> Mono.fromCompletionStage(() -> vertx.close().toCompletionStage()))
        .thenReturn(OK);
  }

  private Mono<Void> withStore(Vertx vertx, Arguments arguments, Program program) {
    return Mono.usingWhen(opened(vertx, arguments), kv -> program.run(kv, screen), Kv::close);
  }

  private Mono<Kv> opened(Vertx vertx, Arguments arguments) {
    return arguments
        .open(vertx, name, options)
        .timed()
        .doOnNext(
            opened ->
                screen.line(
                    "opened %s in %d ms",
                    arguments.place(), opened.elapsedSinceSubscription().toMillis()))
        .map(Timed::get);
  }

  private Mono<Integer> failed(Throwable error, Arguments preset) {
    return Mono.fromSupplier(
        () -> {
          boolean usage = error instanceof Arguments.Unusable;
          screen.error(usage ? error.getMessage() + "\nusage: " + usage(preset) : text(error));
          return usage ? USAGE : FAILED;
        });
  }

  private String usage(Arguments preset) {
    Size size = preset.size();
    Operands operands = preset.operands();
    return name
        + " [--path DIR]"
        + (size.exists() ? " [" + size.option() + " N]" : "")
        + (operands.exists() ? " [" + operands.name() + " ...]" : "")
        + Arguments.URL_USAGE;
  }

  private static String text(Throwable error) {
    String message = error.getMessage();
    return message == null ? error.toString() : message;
  }
}
