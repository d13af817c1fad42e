package io.kvreactive.web.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.kvreactive.web.OperationsOptions;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.auth.Authenticator;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.auth.OperationPaths;
import io.kvreactive.web.internal.guard.FilterChain;
import io.kvreactive.web.internal.http.Lifecycle;
import io.kvreactive.web.internal.stores.SingleDatabase;
import io.kvreactive.web.internal.trace.Tracing;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each row of the table of operations has a handler and a path, and docs/security.md has it. */
@ExtendWith(VertxExtension.class)
class OperationTableTest {
  private static OperationPaths paths;

  @BeforeAll
  static void create(Vertx vertx) {
    Kv kv = Kv.inMemory(vertx).block(TestServer.TIMEOUT);
    ServerContext serverContext =
        ServerContext.of(
            vertx,
            new SingleDatabase(kv),
            FilterChain.embedded(Authenticator.OPEN),
            RoutesOptions.DEFAULT,
            new Lifecycle(),
            OperationsOptions.DEFAULT.withMetrics(TestServer.metrics()),
            Tracing.HEADERS);
    paths = ServerRoutes.handlers(serverContext).paths();
    kv.close().block(TestServer.TIMEOUT);
  }

  @Test
  void findsEachRow() {
    for (Operation row : Operation.values()) {
      if (!row.isRoute()) {
        continue;
      }
      String path = row.path().replaceAll(":\\w+", "a%20b+c");
      assertFinds(row, row.method(), path);
      if (row.answersHead()) {
        assertFinds(row, "HEAD", path);
      }
      assertThat(paths.find("TRACE", path).methods()).as(path).contains(row.method());
      if (row.home() != Operation.Home.SERVER) {
        assertFinds(row, row.method(), "/db/n" + path);
        assertThat(paths.find(row.method(), "/db/n%20m" + path).database()).isEqualTo("n m");
      }
    }
  }

  private static void assertFinds(Operation row, String method, String path) {
    OperationPaths.Target target = paths.find(method, path);
    assertThat(target.operation()).as(path).isEqualTo(row);
    assertThat(target.names().values()).as(path).allMatch("a b+c"::equals);
    assertThat(target.methods()).isEmpty();
  }

  @Test
  void isDocumented() throws IOException {
    StringBuilder table =
        new StringBuilder("| Operation | Access | Keys | Database | Reads | Writes |\n")
            .append("|---|---|---|---|---|---|\n");
    for (Operation row : Operation.values()) {
      String call = row.isRoute() ? "`" + row.call() + "`" : row.call();
      table
          .append("| ")
          .append(
              String.join(
                  " | ",
                  call,
                  row.rights().toString(),
                  row.reach().toString(),
                  row.home().toString(),
                  row.reads(),
                  row.writes()))
          .append(" |\n");
    }
    String rows = table.toString().replaceAll(" +\\|", " |");
    assertThat(Files.readString(Path.of("../docs/security.md"))).contains(rows);
  }

  @ParameterizedTest
  @CsvSource({
    "PUT, /api/v1/entry, /api/v1/entry, setEntry",
    "PUT, /api/v1/entry/, /api/v1/entry, setEntry",
    "PATCH, /api/v1/entry, /api/v1/entry,",
    "PUT, /db/secret/api/v1/entry, /db/:database/api/v1/entry, setEntry",
    "POST, /db/secret, /db/:database/, connectMetadata",
    "POST, /db/secret/, /db/:database/, connectMetadata",
    "GET, /db/secret/, /db/:name/, explorerOfDatabase",
    "GET, /db/secret, ,",
    "GET, /db/secret/metrics, ,",
    "GET, /db/, ,",
    "GET, /api/v1/collections/c/items/a@b, /api/v1/collections/:collection/items/:id, getItem",
    "GET, /api/v1/collections/c/items/a/b, ,",
    "GET, /api/v1/collections//items, ,",
    "GET, /api/v1/entry//, ,",
    "GET, /api/v1, ,",
    "GET, /alice@example.com, ,",
    "GET, /db/secret/alice@example.com, ,",
    "GET, /, /, explorer",
    "POST, /, /, connectMetadata",
    "GET, *, ,",
  })
  void hasNoNamesInTheRouteOfAPath(String method, String path, String route, String id) {
    OperationPaths.Target target = paths.find(method, path);
    assertThat(target.route()).isEqualTo(route);
    assertThat(target.operation() == null ? null : target.operation().id()).isEqualTo(id);
  }
}
