package io.kvreactive.examples.run;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.postgres.PostgresOptions;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The command line of an example.
 *
 * @param path the directory of the store
 * @param url the URL of a store in PostgreSQL or of a server instead, or null
 * @param size the amount of work
 * @param operands the arguments that are not options
 */
record Arguments(Path path, @Nullable String url, Size size, Operands operands) {
  static final String URL_USAGE = ", or --url postgresql://... instead of --path";
  static final String SERVER_URL_USAGE =
      ", or --url postgresql://... or --url http://... of a server instead of --path";

  Arguments(Path path, Size size) {
    this(path, size, Operands.NONE);
  }

  Arguments(Path path, Size size, Operands operands) {
    this(path, null, size, operands);
  }

  /**
   * Opens the store. In PostgreSQL it is in the schema of the URL, by default {@code example_NAME}.
   *
   * @param name the name of the example
   * @param options changes the options of an embedded store
   */
  Mono<Kv> open(Vertx vertx, String name, UnaryOperator<KvOptions> options) {
    if (url == null) {
      return Kv.open(vertx, options.apply(KvOptions.at(path).withName(name)));
    }
    PostgresOptions postgres = PostgresOptions.at(url);
    return Kv.open(
        vertx, url.contains("schema=") ? postgres : postgres.withSchema("example_" + name));
  }

  /** Returns where the store is, without a password. */
  String place() {
    return url == null ? path.toString() : PostgresOptions.at(url).toString();
  }

  /** Returns the URL of the server; null if the program opens a store itself. */
  @Nullable String server() {
    return url != null && url.matches("(?i)https?:.*") ? url : null;
  }

  /**
   * Returns the access token of the server from {@code KV_TOKEN} or the first line of the file
   * {@code KV_TOKEN_FILE}, or null.
   *
   * @throws UncheckedIOException if the file cannot be read
   */
  static @Nullable String token(Map<String, String> environment) {
    String token = environment.getOrDefault("KV_TOKEN", "");
    String file = environment.getOrDefault("KV_TOKEN_FILE", "");
    if (!token.isEmpty() || file.isEmpty()) {
      return token.isEmpty() ? null : token;
    }
    try {
      return Files.readString(Path.of(file)).lines().findFirst().orElse("").strip();
    } catch (IOException e) {
      throw new UncheckedIOException("KV_TOKEN_FILE: " + file + ": cannot be read", e);
    }
  }

  /** Thrown for an invalid command line. */
  static final class Unusable extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    Unusable(String message) {
      super(message);
    }
  }

  /**
   * Parses {@code --path DIR} or {@code --path=DIR}, and the URL and the size likewise. Other
   * arguments are operands if the example has any.
   *
   * @throws Unusable if the arguments are invalid
   */
  static Arguments parse(String[] args, Arguments preset) {
    Arguments read = new Arguments(preset.path, preset.url, preset.size, preset.operands.none());
    for (int i = 0; i < args.length; i++) {
      if (preset.operands.exists() && !args[i].startsWith("--")) {
        read = new Arguments(read.path, read.url, read.size, read.operands.with(args[i]));
        continue;
      }
      int equals = args[i].indexOf('=');
      String option = equals < 0 ? args[i] : args[i].substring(0, equals);
      if (equals < 0 && i + 1 == args.length) {
        throw read.unknown(args[i]);
      }
      read = read.with(option, equals < 0 ? args[++i] : args[i].substring(equals + 1));
    }
    return read.operands.values().isEmpty()
        ? new Arguments(read.path, read.url, read.size, preset.operands)
        : read;
  }

  private Arguments with(String option, String value) {
    if (option.equals("--path")) {
      return new Arguments(Path.of(value), url, size, operands);
    }
    if (option.equals("--url")) {
      return new Arguments(path, value, size, operands);
    }
    if (size.exists() && option.equals(size.option())) {
      return new Arguments(path, url, size.parse(value), operands);
    }
    throw unknown(option);
  }

  private Unusable unknown(String argument) {
    return new Unusable("argument: " + argument + " (expected: " + usage() + ")");
  }

  String usage() {
    return "--path DIR"
        + (size.exists() ? ", " + size.option() + " N" : "")
        + (operands.exists() ? ", " + operands.name() : "");
  }
}
