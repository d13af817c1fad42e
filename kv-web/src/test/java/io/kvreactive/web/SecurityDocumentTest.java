package io.kvreactive.web;

import static io.kvreactive.web.SecurityDocument.document;
import static io.kvreactive.web.SecurityDocument.number;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvLimits;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.DocumentThreads;
import io.kvreactive.documents.internal.worker.QueryJob;
import io.kvreactive.documents.internal.worker.Workers;
import io.kvreactive.spi.MergeOperators;
import io.kvreactive.web.internal.http.WorkerOffload;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The limits in docs/security.md equal the defaults of the code, and have tests. */
class SecurityDocumentTest {
  private static final Path MODULES = Path.of("..");
  private static final String TESTS = "src/test/java";
  private static final long LARGE_HEAP = 4L << 30;

  private static void has(String limit, String value) throws IOException {
    SecurityDocument.hasRow(limit, value);
  }

  @Test
  void documentsTheDefaultLimits() throws IOException {
    ConnectionOptions connections = ConnectionOptions.DEFAULT;
    RoutesOptions routes = RoutesOptions.DEFAULT;
    assertThat(LimitOptions.DEFAULT.requestsPerSecond()).isZero();
    has("requests of a token", "none");
    has(
        "attempts of an address without a known token",
        LimitOptions.DEFAULT.failuresPerMinute() + " a minute");
    has(
        "connections, and of an address, from accept on",
        number(connections.max())
            + "; "
            + number(connections.maxPerAddress())
            + "; fewer if the process may open few files");
    assertThat(connections.maxHeaderBytes()).isEqualTo(connections.maxUriBytes());
    has("request line, headers", (connections.maxUriBytes() >> 10) + " KiB each");
    has("a body, a line of an import or a load", (routes.maxBodyBytes() >> 20) + " MiB");
    assertThat(routes.maxBodiesBytes())
        .isEqualTo(Math.max(64L << 20, Runtime.getRuntime().maxMemory() / 8));
    assertThat(routes.maxMemoryBytes()).isEqualTo(Runtime.getRuntime().maxMemory() / 3);
    has(
        "memory that requests and WebSockets hold together: the next four rows",
        "a third of the heap");
    has("all bodies that are held at a time", "an eighth of the heap, at least 64 MiB");
    has(
        "TLS handshake; first request of a connection",
        connections.headerTimeout().toSeconds() + " s each");
    has(
        "body comes forward by 1 KiB, unless it waits for the server",
        connections.bodyTimeout().toSeconds() + " s");
    has("connection without a request", connections.idleTimeout().toMinutes() + " min");
    has("nothing moves either way", connections.silenceTimeout().toMinutes() + " min");
    assertThat(document())
        .contains("| " + (StreamOptions.DEFAULT.heldBytes() >> 20) + " MiB each, and what was")
        .contains("| HTTP/2 requests at a time | " + connections.maxStreams() + " |");
    has(
        "HTTP/2 answer that cannot be sent, while the request continues; after it",
        connections.bodyTimeout().toSeconds()
            + " s; "
            + connections.silenceTimeout().toMinutes()
            + " min");
    assertThat(document())
        .contains(
            "Bodies of more than "
                + (WorkerOffload.MAX_ON_EVENT_LOOP >> 10)
                + " KiB are read beside")
        .contains(
            (connections.maxHeaderBytes() + connections.maxUriBytes() >> 10)
                + " KiB together over HTTP/2");
    assertThat(SecurityOptions.DEFAULT.reloadEvery()).isEqualTo(Duration.ofSeconds(2));
    assertThat(document())
        .contains("A server checks it for changes every two seconds")
        .contains("The PEM files are checked for changes every two seconds");
  }

  @Test
  void documentsTheDefaultLimitsOfCommits() throws IOException {
    KvLimits limits = KvLimits.DEFAULT;
    has("ranges that a commit deletes", number(limits.maxRangeDeletions()));
    String commitMebibytes = (limits.maxCommitBytes() >> 20) + " MiB";
    has("a message times the keys that take it when it cannot be delivered", commitMebibytes);
    has("stored values that a commit touches, or replaces where old values are kept", "64 MiB");
    has(
        "a bigint in a sum: operand, bound, stored number, result",
        number(MergeOperators.MAX_BIGINT_BYTES) + " bytes");
    assertThat(document())
        .contains("| work of a commit, estimated before it is accepted: 1 for a set,")
        .contains("and 1 for each KiB | " + number(limits.maxCommitWork()) + " |");
  }

  @Test
  void documentsTheDefaultLimitsOfQueries() throws IOException {
    DocumentThreads.Limits queries = KvServer.queryLimits(LARGE_HEAP);
    assertThat(queries.maxLongQueries()).isEqualTo(4 * queries.maxLongQueriesPerCaller());
    assertThat(document())
        .contains(
            "| queries of a token that have worked for "
                + TimeUnit.NANOSECONDS.toMillis(QueryJob.LONG_NANOS)
                + " ms, WebSocket queries included | "
                + queries.maxLongQueriesPerCaller()
                + " at a time, a quarter of those of all tokens;")
        .contains("take turns of " + TimeUnit.NANOSECONDS.toMillis(Workers.SLICE_NANOS) + " ms");
    assertThat(KvServer.queryLimits(512 << 20).maxLongQueriesPerCaller()).isEqualTo(8);
    assertThat(KvServer.queryLimits(64 << 20).maxLongQueriesPerCaller()).isEqualTo(4);
    assertThat(DocumentStoreOptions.DEFAULT.maxQuerySteps()).isEqualTo(1_000_000_000);
    has(
        "steps and time of a query",
        "a billion rows, "
            + DocumentStoreOptions.DEFAULT.maxQueryTime().toSeconds()
            + " s on a worker, for a page or 1,000 rows");
    has("array elements that a patch moves", "100 million");
  }

  private static void addNames(Path folder, Set<String> names) throws IOException {
    if (Files.exists(folder)) { // some modules have no tests
      try (Stream<Path> files = Files.walk(folder)) {
        files.forEach(path -> names.add(path.getFileName().toString()));
      }
    }
  }

  @Test
  void namesExistingTests() throws IOException {
    Set<String> files = new HashSet<>();
    try (DirectoryStream<Path> modules = Files.newDirectoryStream(MODULES, "kv-*")) {
      for (Path module : modules) {
        addNames(module.resolve(TESTS), files);
      }
    }
    Matcher named = Pattern.compile("`(\\w+Test)`").matcher(document());
    int found = 0;
    while (named.find()) {
      assertThat(files).contains(named.group(1) + ".java");
      found++;
    }
    assertThat(found).isGreaterThan(10);
  }

  /** The last column of each row of the tables of limits names a test. */
  @ParameterizedTest
  @ValueSource(strings = {"| Limit | Default | Answer | Held by |", "| Memory | Bound | Held by |"})
  void namesATestForEachLimit(String head) throws IOException {
    List<String> lines = document().lines().toList();
    int begin = lines.indexOf(head);
    assertThat(begin).as(head).isPositive();
    List<String> rows =
        lines.subList(begin + 2, lines.size()).stream()
            .takeWhile(line -> line.startsWith("|"))
            .toList();
    assertThat(rows)
        .hasSizeGreaterThan(8)
        .allMatch(row -> row.matches(".*\\| `\\w+Test`[^|]* \\|"));
  }
}
