package io.kvreactive.examples.run;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.documents.DocumentClientOptions;
import io.kvreactive.documents.DocumentStore;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Timed;

/**
 * Runs a program on a store. Opens Vert.x and the store or a connection to a server, and closes
 * them when the program ends.
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
    return run(
        args,
        new Arguments(directory(), size, operands),
        Arguments.URL_USAGE,
        (vertx, arguments) -> withStore(vertx, arguments, program));
  }

  /**
   * Runs a program on the collections of a store or, with an http URL, of a server. Emits the exit
   * status, and never an error.
   *
   * @param environment the environment variables, which may have the access token of the server
   */
  public Mono<Integer> runOnCollections(
      String[] args, Map<String, String> environment, Size size, Program.OnCollections program) {
    return run(
        args,
        new Arguments(directory(), size),
        Arguments.SERVER_URL_USAGE,
        (vertx, arguments) -> {
          String url = arguments.server();
          return url == null
              ? withStore(
                  vertx,
                  arguments,
                  (kv, on, count, operands) ->
                      Mono.usingWhen(
                          Mono.fromSupplier(() -> DocumentStore.over(kv)),
                          store -> program.run(store, on, count),
                          DocumentStore::close))
              : Mono.usingWhen(
                  connected(vertx, url, Arguments.token(environment)),
                  store -> program.run(store, screen, arguments.size().count()),
                  DocumentStore::close);
        });
  }

  private Path directory() {
    return Path.of("data", "examples", name);
  }

  private Mono<Integer> run(
      String[] args, Arguments preset, String urls, BiFunction<Vertx, Arguments, Mono<Void>> body) {
    return Mono.fromSupplier(() -> Arguments.parse(args, preset))
        .flatMap(
            arguments ->
                Mono.usingWhen(
                        Mono.fromSupplier(Vertx::vertx),
                        vertx -> body.apply(vertx, arguments),
                        vertx -> Mono.fromCompletionStage(() -> vertx.close().toCompletionStage()))
                    .thenReturn(OK))
        .onErrorResume(error -> failed(error, preset, urls));
  }

  private Mono<Void> withStore(Vertx vertx, Arguments arguments, Program.WithOperands program) {
    return Mono.usingWhen(
        timed("opened " + arguments.place(), arguments.open(vertx, name, options)),
        kv -> program.run(kv, screen, arguments.size().count(), arguments.operands().values()),
        Kv::close);
  }

  private Mono<DocumentStore> connected(Vertx vertx, String url, @Nullable String token) {
    return timed(
        "connected to " + url,
        DocumentStore.connect(vertx, url, DocumentClientOptions.DEFAULT.withToken(token)));
  }

  private <T> Mono<T> timed(String what, Mono<T> opening) {
    return opening
        .timed()
        .doOnNext(
            opened ->
                screen.line("%s in %d ms", what, opened.elapsedSinceSubscription().toMillis()))
        .map(Timed::get);
  }

  private Mono<Integer> failed(Throwable error, Arguments preset, String urls) {
    return Mono.fromSupplier(
        () -> {
          boolean usage = error instanceof Arguments.Unusable;
          screen.error(
              usage ? error.getMessage() + "\nusage: " + usage(preset) + urls : text(error));
          return usage ? USAGE : FAILED;
        });
  }

  private String usage(Arguments preset) {
    Size size = preset.size();
    Operands operands = preset.operands();
    return name
        + " [--path DIR]"
        + (size.exists() ? " [" + size.option() + " N]" : "")
        + (operands.exists() ? " [" + operands.name() + " ...]" : "");
  }

  private static String text(Throwable error) {
    String message = error.getMessage();
    return message == null ? error.toString() : message;
  }
}
