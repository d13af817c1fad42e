package io.kvreactive.server.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Kv;
import io.kvreactive.KvException;
import io.kvreactive.KvOptions;
import io.kvreactive.http.client.ServerUrls;
import io.kvreactive.postgres.PostgresOptions;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.client.CliException;
import io.kvreactive.server.client.CliJson;
import io.kvreactive.server.client.FollowedServer;
import io.kvreactive.server.client.RestClient;
import io.kvreactive.server.serve.LogSetup;
import io.kvreactive.spi.QueueStats;
import io.kvreactive.spi.StoreCopy;
import io.kvreactive.spi.StoreCopy.Phase;
import io.kvreactive.spi.StoreCopy.Progress;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** {@code kv copy}. */
@Command(
    name = "copy",
    description = {
      "Copies all entries of a store to another store, and compares the two stores.",
      "A STORE is a directory, postgresql://user:password@host/database?schema=kv, or the URL of a"
          + " server or of a database of it. Keys, values, times of expiry and collections are"
          + " copied; versionstamps, messages of queues and access tokens are not.",
      "It exits with 1 if the stores differ, or if the source was written after the switch-over."
    })
final class CopyCommand extends KvCommand {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  @Option(
      names = "--from",
      paramLabel = "STORE",
      description = "source (KV_COPY_FROM)",
      defaultValue = "${env:KV_COPY_FROM}")
  @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "STORE",
      description = "target, created if absent (KV_COPY_TO)",
      defaultValue = "${env:KV_COPY_TO}")
  @Nullable String to;

  @Option(
      names = "--from-token-file",
      paramLabel = "FILE",
      description = "file with the access token of the source (KV_FROM_TOKEN: the token)")
  @Nullable Path fromTokenFile;

  @Option(
      names = "--to-token-file",
      paramLabel = "FILE",
      description = "file with the access token of the target (KV_TO_TOKEN: the token)")
  @Nullable Path toTokenFile;

  @Option(
      names = "--follow",
      description =
          "follow the changes of the source until a line on standard input, or its end, tells that"
              + " the source is no longer written")
  boolean follow;

  @Option(
      names = "--replace",
      description =
          "allow entries in the target: those that the source does not have are deleted. Completes"
              + " a copy that was interrupted")
  boolean replace;

  @Option(
      names = "--progress",
      negatable = true,
      description = "print progress on standard error (default: on a terminal)")
  @Nullable Boolean progress;

  @Override
  int run() {
    if (from == null || to == null) {
      throw new CliException(ExitCode.USAGE, "--from and --to are required");
    }
    if (from.equals(to)) {
      throw new CliException(ExitCode.USAGE, "--from and --to are the same store");
    }
    LogSetup.quiet();
    Vertx vertx = Vertx.vertx();
    Thread hook = new Thread(() -> close(vertx), "kv-close"); // Ctrl-C
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      Kv source = open(vertx, from, false, token("KV_FROM_TOKEN", fromTokenFile));
      Kv target = open(vertx, to, true, token("KV_TO_TOKEN", toTokenFile));
      return copy(source, target);
    } catch (KvException e) {
      throw CliException.of(e);
    } finally {
      close(vertx);
    }
  }

  private static void close(Vertx vertx) {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private static Kv open(Vertx vertx, String store, boolean create, String token) {
    Mono<Kv> opened;
    if (store.startsWith("postgresql://") || store.startsWith("postgres://")) {
      opened = Kv.open(vertx, PostgresOptions.at(store));
    } else if (store.startsWith("http://") || store.startsWith("https://")) {
      opened =
          Kv.connect(vertx, store, token)
              .map(
                  kv -> // without expiry it is another server, which may have no change feed
                  kv.engine().returnsExpiry()
                          ? kv.withEngine(engine -> new FollowedServer(engine, rest(store, token)))
                          : kv);
    } else {
      Path directory = Path.of(store);
      if (!create && !Files.exists(directory.resolve("store"))) {
        throw new CliException(ExitCode.USAGE, "store not found in " + directory);
      }
      opened = Kv.open(vertx, KvOptions.at(directory));
    }
    return value(opened);
  }

  private static RestClient rest(String url, String token) {
    return new RestClient(
        ServerUrls.database(url, ConnectionFlags.DEFAULT_URL), token, TIMEOUT, null);
  }

  private static <T> T value(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(), "an operation without a value");
  }

  private static String token(String variable, @Nullable Path file) {
    return file == null
        ? Objects.requireNonNullElse(System.getenv(variable), "")
        : ConnectionFlags.tokenIn(file);
  }

  private int copy(Kv source, Kv target) {
    Mono<Void> switchOver =
        follow
            ? Mono.fromCallable(CopyCommand::awaitLine)
                .subscribeOn(Schedulers.boundedElastic())
                .then()
            : Mono.empty();
    boolean shows = progress == null ? isOnTerminal() : progress;
    Phase[] phase = {Phase.SCAN};
    Progress last;
    try (ProgressLine line = new ProgressLine(shows, "copy", "", 1, () -> -1)) {
      last =
          value(
              StoreCopy.run(
                      source.engine(), target.engine(), new StoreCopy.Options(replace, switchOver))
                  .doOnNext(
                      state -> {
                        if (follow && state.phase() == Phase.FOLLOW && phase[0] == Phase.SCAN) {
                          out.message("following changes; when writers are stopped, press Enter");
                        }
                        phase[0] = state.phase();
                        line.says(doing(state));
                      })
                  .last());
    }
    notice(source, target, last);
    print(json(last), text(last));
    return last.isEqual() && (!follow || last.lateCommits() == 0) ? ExitCode.OK : ExitCode.NO;
  }

  private static boolean awaitLine() throws IOException {
    int read;
    do {
      read = System.in.read();
    } while (read >= 0 && read != '\n');
    return true;
  }

  private static String doing(Progress state) {
    return switch (state.phase()) {
      case SCAN -> state.entries() + " entries read, " + state.written() + " written";
      case FOLLOW -> state.commits() + " commits followed";
      case CHECK, DONE -> state.entries() + " entries checked";
    };
  }

  private void notice(Kv source, Kv target, Progress last) {
    if (!source.engine().returnsExpiry()) {
      out.message(
          "times of expiry are not sent by the source, which is another server or an older one:"
              + " copied entries do not expire");
    } else if (!target.engine().returnsExpiry()) {
      out.message("times of expiry are not sent by the target, and were not compared");
    }
    List<QueueStats> queues =
        value(source.engine().queueStats().onErrorReturn(KvException.class, List.of()));
    for (QueueStats queue : queues) {
      if (queue.depth() > 0) {
        out.message(
            "not copied: %s of queue \"%s\""
                .formatted(Plurals.of(queue.depth(), "messages"), queue.queue()));
      }
    }
    if (last.lateCommits() > 0) {
      out.message(
          "not copied: %s after versionstamp %s"
              .formatted(Plurals.of(last.lateCommits(), "commits"), last.versionstamp()));
    }
    if (last.differences() > 0) {
      out.message(
          Plurals.of(last.differences(), "differences")
              + "; stop what writes to the stores, and repeat with --replace");
    }
  }

  private static String text(Progress last) {
    return (last.isEqual() ? "equal: " : "different: ")
        + "%s at versionstamp %s, %d written, %s followed"
            .formatted(
                Plurals.of(last.entries(), "entries"),
                last.versionstamp(),
                last.written(),
                Plurals.of(last.commits(), "commits"));
  }

  private static ObjectNode json(Progress last) {
    return CliJson.object()
        .put("equal", last.isEqual())
        .put("entries", last.entries())
        .put("versionstamp", last.versionstamp().toString())
        .put("written", last.written())
        .put("commits", last.commits())
        .put("differences", last.differences())
        .put("lateCommits", last.lateCommits());
  }
}
