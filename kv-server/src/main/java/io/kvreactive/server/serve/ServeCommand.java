package io.kvreactive.server.serve;

import com.sun.management.HotSpotDiagnosticMXBean;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.Terminals;
import io.kvreactive.server.Units;
import io.kvreactive.web.KvServer;
import io.kvreactive.web.ServerOptions;
import io.vertx.core.Vertx;
import io.vertx.core.VertxBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code kv serve}. */
@Command(
    name = "serve",
    customSynopsis = "kv serve [OPTIONS]",
    showDefaultValues = true,
    sortOptions = false,
    modelTransformer = ServeFlags.ByType.class,
    description = {
      "Serves stores over KV Connect, REST and WebSocket.",
      "",
      "Each flag has an environment variable, KV_ and its name (KV_PORT), and a property of the"
          + " --config file, its name (port: 4512). Those of --token, --token-file and --url begin"
          + " with KV_SERVER_, because KV_TOKEN, KV_TOKEN_FILE and KV_URL are for clients. Flags"
          + " override variables, which override the file.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:stopped by a signal; all answered commits are durable",
      "1:cannot start (port in use, directory locked, store damaged), or stopped by force",
      "2:the command line or the configuration is invalid"
    })
public final class ServeCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(ServeCommand.class);

  private static final String NO_RENEGOTIATION = "jdk.tls.rejectClientInitiatedRenegotiation";
  private static final String END_FLAG = "ExitOnOutOfMemoryError";
  private static final List<String> ENDS_WITHOUT_MEMORY =
      List.of(END_FLAG, "CrashOnOutOfMemoryError");

  /**
   * Minimum heap in bytes without a warning. Some collectors report less than the 256 MiB of
   * -Xmx256m.
   */
  private static final long MIN_HEAP_BYTES = 240L << 20;

  private static final Pattern NO_DEFAULT = Pattern.compile("\\R *Default: \\[\\]");
  private static final Pattern DEFAULT_TIME = Pattern.compile("(?<=Default: )PT[0-9HMS.]+");
  private static final Pattern DEFAULT_SIZE =
      Pattern.compile("(SIZE(?:(?!--).)*?Default: )(\\d+)", Pattern.DOTALL);

  /** Minimum length of a token without a warning. */
  private static final int MIN_TOKEN = 16;

  private static final String SHUTDOWN_CLASSES = "shutdown-classes.txt";

  /** Maximum time to close the stores after all requests have ended. */
  private static final Duration MAX_CLOSING = Duration.ofMinutes(1);

  @Spec @Nullable CommandSpec spec;
  @Mixin ServeFlags given = new ServeFlags();

  @picocli.CommandLine.Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "show this text")
  boolean help;

  /** Returns the command, whose help prints defaults as they are typed: 10s for PT10S. */
  public static CommandLine line() {
    CommandLine line = new CommandLine(new ServeCommand());
    line.getHelpSectionMap()
        .computeIfPresent(
            CommandLine.Model.UsageMessageSpec.SECTION_KEY_OPTION_LIST,
            (key, options) -> help -> typed(options.render(help)));
    return line;
  }

  private static String typed(String help) {
    String times =
        DEFAULT_TIME
            .matcher(NO_DEFAULT.matcher(help).replaceAll(""))
            .replaceAll(time -> Units.text(Duration.parse(time.group())));
    return DEFAULT_SIZE
        .matcher(times)
        .replaceAll(size -> size.group(1) + Units.text(Long.parseLong(size.group(2))));
  }

  @Override
  public Integer call() throws InterruptedException {
    if (spec == null) {
      throw new IllegalStateException("not set by picocli");
    }
    Settings settings;
    ServerSetup setup;
    try {
      settings = Settings.of(spec.commandLine().getParseResult(), System.getenv());
      if (settings.flags().printConfig) {
        System.out.print(settings.print());
        return ExitCode.OK;
      }
      setup = ServerSetup.of(settings).withKeptToken();
    } catch (ConfigException e) {
      System.err.println("kv: " + Terminals.clean(e.text()));
      return ExitCode.USAGE;
    }
    LogSetup.configure(settings.flags().logFormat, settings.flags().logLevel);
    System.getProperties()
        .putIfAbsent(NO_RENEGOTIATION, "true"); // can be set by this property only
    return serve(setup, settings.flags());
  }

  private static int serve(ServerSetup setup, ServeFlags flags) throws InterruptedException {
    ShutdownSignals signals =
        ShutdownSignals.catching(
            () -> {
              LOG.error("second signal: the process is ended by force");
              Runtime.getRuntime().halt(ExitCode.NO);
            });
    MetricsSetup meters = flags.metrics ? new MetricsSetup() : null;
    VertxBuilder builder = Vertx.builder();
    Vertx vertx = (meters == null ? builder : meters.measure(builder)).build();
    try {
      ServerOptions options = setup.options();
      if (meters != null) {
        options =
            options.withOperations(
                options.operations().withMetrics(meters.options(flags.metricsPublic)));
      }
      KvServer server = KvServer.start(vertx, options).toFuture().get();
      if (setup.madeToken() != null) {
        System.out.println("access token: " + setup.madeToken());
      }
      System.out.println("listening on " + server.uri());
      if (setup.madeToken() != null) {
        System.out.println("sign in at " + server.uri() + "/#token=" + setup.madeToken());
      }
      if (setup.directory() != null) {
        Path data = setup.directory().toAbsolutePath().normalize();
        System.out.println(
            "data in "
                + data
                + (setup.madeToken() == null
                    ? ""
                    : ", the token in " + data.resolve(ServerSetup.TOKEN_FILE)));
      }
      System.out.flush();
      warnOfMemory();
      warnOfToken(options.token());
      warnOfClientToken(System.getenv(), options.token());
      loadShutdownClasses();
      signals.await();
      LOG.info("stopping: pending requests have {} ms", flags.drainTimeout.toMillis());
      Duration closing = flags.drainDelay.plus(flags.drainTimeout).plus(MAX_CLOSING);
      server.close().toFuture().get(closing.toMillis(), TimeUnit.MILLISECONDS);
      LOG.info("stopped");
      return ExitCode.OK;
    } catch (ExecutionException e) {
      return failed(e.getCause() == null ? e : e.getCause());
    } catch (TimeoutException | LinkageError e) {
      return endByForce(e);
    } finally {
      closeVertx(vertx);
      signals.stopped();
      if (meters != null) {
        meters.close();
      }
    }
  }

  /**
   * Loads the classes that only the shutdown needs. A server whose jar was overwritten can then be
   * stopped in order.
   */
  private static void loadShutdownClasses() {
    try (InputStream in = ServeCommand.class.getResourceAsStream(SHUTDOWN_CLASSES)) {
      String names = in == null ? "" : new String(in.readAllBytes(), StandardCharsets.US_ASCII);
      names.lines().forEach(ServeCommand::load);
    } catch (IOException e) {
      LOG.debug("the classes of the shutdown are not loaded", e);
    }
  }

  private static void load(String name) {
    try {
      Class.forName(name, false, ServeCommand.class.getClassLoader());
    } catch (ClassNotFoundException | LinkageError e) {
      LOG.debug("class {} is not loaded", name); // of another version of a library
    }
  }

  private static void closeVertx(Vertx vertx) throws InterruptedException {
    try {
      vertx
          .close()
          .toCompletionStage()
          .toCompletableFuture()
          .get(MAX_CLOSING.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException | LinkageError e) {
      endByForce(e);
    }
  }

  /** Ends the process without using further classes, of which some may be missing. */
  private static int endByForce(Throwable failure) {
    System.err.println("kv: the server cannot be closed and is ended by force: " + failure);
    Runtime.getRuntime().halt(ExitCode.NO);
    return ExitCode.NO;
  }

  private static void warnOfToken(@Nullable String token) {
    if (token != null && token.length() < MIN_TOKEN) {
      LOG.warn(
          "the token has {} characters and may be guessed (expected: at least {})",
          token.length(),
          MIN_TOKEN);
    }
  }

  /** Warns of a variable of clients whose token is not that of the server. */
  private static void warnOfClientToken(
      Map<String, String> environment, @Nullable String serverToken) {
    String token = environment.getOrDefault("KV_TOKEN", "");
    String file = environment.getOrDefault("KV_TOKEN_FILE", "");
    if (token.isEmpty() && file.isEmpty()) {
      return;
    }
    String variable = token.isEmpty() ? "KV_TOKEN_FILE" : "KV_TOKEN";
    if (!(token.isEmpty() ? ServerSetup.tokenIn(Path.of(file)) : token).equals(serverToken)) {
      LOG.warn(
          "{} is for clients, and its token is not that of this server (expected for a server: {})",
          variable,
          variable.replace("KV_", "KV_SERVER_"));
    }
  }

  /**
   * Warns of a heap below the size for which the default limits were chosen, and of a JVM that
   * would continue after an OutOfMemoryError: such a process may stop answering.
   */
  private static void warnOfMemory() {
    long heap = Runtime.getRuntime().maxMemory();
    if (heap < MIN_HEAP_BYTES) {
      LOG.warn(
          "the heap has {} MiB; the default limits require at least 256 MiB (-Xmx256m)",
          heap >> 20);
    }
    HotSpotDiagnosticMXBean machine =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    if (machine != null
        && ENDS_WITHOUT_MEMORY.stream()
            .noneMatch(flag -> machine.getVMOption(flag).getValue().equals("true"))) {
      LOG.warn("this process continues after an OutOfMemoryError: add -XX:+{}", END_FLAG);
    }
  }

  /**
   * Reports a failure: an expected failure in one line, others with their stack trace. Returns the
   * exit code. INVALID_ARGUMENT, such as for certificate files, counts as a configuration error.
   */
  private static int failed(Throwable failure) {
    if (failure instanceof KvException known) {
      System.err.println("kv: " + Terminals.clean(known.detail()));
      return known.code() == KvErrorCode.INVALID_ARGUMENT ? ExitCode.USAGE : ExitCode.NO;
    }
    LOG.error("failed", failure);
    return ExitCode.NO;
  }
}
