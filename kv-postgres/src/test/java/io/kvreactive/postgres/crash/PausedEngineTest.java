package io.kvreactive.postgres.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.EnqueueOptions;
import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvMessage;
import io.kvreactive.KvU64;
import io.kvreactive.postgres.PostgresOptions;
import io.kvreactive.postgres.TestServer;
import io.kvreactive.testing.ChildJvm;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

/**
 * A process that is paused beyond all of its leases, as during the migration of a virtual machine.
 */
@ExtendWith(VertxExtension.class)
class PausedEngineTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(120);
  private static final List<String> LINES = List.of("committed", "leased");
  private static final Duration POLL = Duration.ofMillis(50);

  private final String url = TestServer.url();
  private final String schema = "p" + UUID.randomUUID();

  private static <T> T get(Mono<T> mono) {
    T value = mono.block(TIMEOUT);
    assertThat(value).isNotNull();
    return value;
  }

  /** Returns the next line that is no message of the log, or null when the child has ended. */
  private static String next(ChildJvm child) throws IOException {
    String line = child.readLine();
    while (line != null && !LINES.contains(line)) {
      line = child.readLine();
    }
    return line;
  }

  private long keys() throws SQLException {
    try (Connection connection =
            DriverManager.getConnection("jdbc:" + url.replace("postgres@", ""), "postgres", null);
        ResultSet rows =
            connection
                .createStatement()
                .executeQuery("SELECT count(*) FROM \"%s\".entry".formatted(schema))) {
      rows.next();
      return rows.getLong(1);
    }
  }

  @Test
  void othersTakeOverFromAPausedProcessWhichLosesNothing(Vertx vertx) throws Exception {
    long committed = 0;
    try (ChildJvm child = ChildJvm.start(PausedEngineChild.class, url, schema)) {
      // the child was opened first, so it maintains the store
      assertThat(next(child)).isEqualTo("committed");
      committed++;
      Kv kv = get(Kv.open(vertx, PostgresOptions.at(url).withSchema(schema)));
      get(kv.queues().enqueue("message", EnqueueOptions.to("work")));
      while (next(child).equals("committed")) {
        committed++;
      }
      child.signal("STOP");

      get(kv.set(KvKey.of("short"), 1, Duration.ofMillis(10)));
      KvMessage<String> message =
          get(kv.queues().listen(String.class, PausedEngineChild.QUEUE).next());
      assertThat(message.required()).isEqualTo("message");
      Mono.fromCallable(this::keys)
          .repeatWhen(tries -> tries.delayElements(POLL))
          .filter(keys -> keys == 1) // only the counter remains
          .blockFirst(TIMEOUT);

      child.signal("CONT");
      child.endInput();
      for (String line = next(child); line != null; line = next(child)) {
        committed += line.equals("committed") ? 1 : 0;
      }
      assertThat(child.waitFor()).isZero();
      assertThat(get(kv.get(PausedEngineChild.COUNTER, KvU64.class)).required().value().longValue())
          .isEqualTo(committed);
      kv.close().block(TIMEOUT);
    }
  }
}
