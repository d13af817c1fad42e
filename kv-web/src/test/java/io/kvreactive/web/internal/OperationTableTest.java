package io.kvreactive.web.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.kvreactive.web.OperationsOptions;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.auth.Authenticator;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.guard.FilterChain;
import io.kvreactive.web.internal.http.Lifecycle;
import io.kvreactive.web.internal.stores.SingleDatabase;
import io.kvreactive.web.internal.trace.Tracing;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The table of operations contains every mounted route, and docs/security.md contains the table.
 */
@ExtendWith(VertxExtension.class)
class OperationTableTest {
  /** Handlers before the routes, for all methods. */
  private static final Set<String> BEFORE_ROUTES =
      Set.of("/api/v1/tokens*", "/db/:database*", "/*", "/api/v1/tokens", "/db/:database", "/");

  private static Vertx vertx;

  @BeforeAll
  static void use(Vertx vertx) {
    OperationTableTest.vertx = vertx;
  }

  private static Set<String> mounted() {
    Kv kv = Kv.inMemory(vertx).block(TestServer.TIMEOUT);
    ServerContext serverContext =
        new ServerContext(
            vertx,
            new SingleDatabase(kv),
            FilterChain.embedded(Authenticator.OPEN),
            RoutesOptions.DEFAULT,
            new Lifecycle(),
            OperationsOptions.DEFAULT.withMetrics(TestServer.metrics()),
            Tracing.HEADERS);
    Router root = Router.router(vertx);
    ServerRoutes.mount(root, serverContext);
    Set<String> routes = new TreeSet<>();
    collect(root, routes);
    collect(ServerRoutes.database(serverContext), routes);
    kv.close().block(TestServer.TIMEOUT);
    return routes;
  }

  private static void collect(Router router, Set<String> routes) {
    for (Route route : router.getRoutes()) {
      String path = route.getName() == null ? route.getPath() : route.getName();
      if (path == null) {
        continue; // a handler before routes
      }
      if (route.methods() == null) {
        assertThat(BEFORE_ROUTES).contains(path);
        continue;
      }
      for (HttpMethod method : route.methods()) {
        if (!method.equals(HttpMethod.HEAD)) { // reads what GET reads
          routes.add(method + " " + path);
        }
      }
    }
  }

  private static Set<String> rows() {
    return Arrays.stream(Operation.values())
        .filter(Operation::isRoute)
        .map(Operation::call)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void matchesRoutesAndRows() {
    assertThat(rows()).isEqualTo(mounted());
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
    "/api/v1/entry, /api/v1/entry",
    "/api/v1/entry/, /api/v1/entry",
    "/db/secret/api/v1/entry, /db/:database/api/v1/entry",
    "/db/secret, /db/:database/",
    "/api/v1/collections/c/items/alice@example.com, /api/v1/collections/:collection/items/:id",
    "/api/v1/collections/c/items/a/b, -",
    "/alice@example.com, -",
    "/db/secret/alice@example.com, -",
    "/, /",
  })
  void hasNoNamesInTheRouteOfAPath(String path, String route) {
    assertThat(Operation.route(path)).isEqualTo(route);
  }
}
