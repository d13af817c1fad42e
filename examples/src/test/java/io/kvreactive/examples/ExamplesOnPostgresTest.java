package io.kvreactive.examples;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.examples.run.Launcher;
import io.kvreactive.examples.run.Operands;
import io.kvreactive.examples.run.Program;
import io.kvreactive.examples.run.Size;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs the programs as users do, on a PostgreSQL server. */
@Timeout(600)
class ExamplesOnPostgresTest {
  private static EmbeddedPostgres server;

  enum Example {
    USERS(1, (kv, screen, n, names) -> UsersExample.run(kv, screen), "users"),
    ULID(1, (kv, screen, n, names) -> UlidExample.run(kv, screen), ""),
    QUEUE(3, (kv, screen, n, names) -> QueueExample.run(kv, screen, n), "paid"),
    LEADERBOARD(50, (kv, screen, n, names) -> LeaderboardExample.run(kv, screen, n), "1."),
    CACHE(100, (kv, screen, n, names) -> CacheExample.run(kv, screen, n), "left: 0\n"),
    PROJECTION(20, (kv, screen, n, names) -> ProjectionExample.run(kv, screen, n), "same totals"),
    CATALOG(50, (kv, screen, n, names) -> CatalogExample.run(kv, screen, n), ""),
    NEARBY(200, (kv, screen, n, names) -> NearbyExample.run(kv, screen, n), ""),
    SIMILAR(200, SimilarExample::run, "");

    private final int size;
    private final Program.WithOperands program;
    private final String shown;

    Example(int size, Program.WithOperands program, String shown) {
      this.size = size;
      this.program = program;
      this.shown = shown;
    }
  }

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedPostgres.start();
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @Test
  void runsTheOrderSystemToItsEnd() {
    CapturedScreen captured = new CapturedScreen();
    Launcher launcher = OrdersExample.launcher(captured.screen(false));
    assertThat(
            await(
                launcher.runOnCollections(
                    new String[] {"--url", url()},
                    Map.of(),
                    new Size("orders", 20),
                    OrdersExample::run)))
        .describedAs(captured.err())
        .isZero();
    assertThat(captured.out())
        .startsWith("opened PostgresOptions[postgres@")
        .endsWith("4 deleted orders were archived\n4 deleted orders were cancelled\n");
  }

  private static String url() {
    return "postgresql://postgres@localhost:" + server.getPort() + "/postgres";
  }

  @ParameterizedTest
  @EnumSource
  void runsToItsEnd(Example example) {
    CapturedScreen captured = new CapturedScreen();
    Launcher launcher =
        new Launcher(example.name().toLowerCase(Locale.ROOT), captured.screen(false));
    Size size = new Size("amount", example.size);
    Operands operands = new Operands("NAME", List.of("LATIN SMALL LETTER A"));
    assertThat(await(launcher.run(new String[] {"--url", url()}, size, operands, example.program)))
        .describedAs(captured.err())
        .isZero();
    assertThat(captured.out())
        .startsWith("opened PostgresOptions[postgres@")
        .contains(example.shown);
  }
}
