package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.internal.auth.RefusalLog;
import io.kvreactive.web.internal.http.FailureLog;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Rate limits on refusals in the audit log. */
@ExtendWith(VertxExtension.class)
class RefusalLogTest {
  private static final double ROUNDING = 0.1; // the period of a clock in milliseconds
  private static final int MANY = 200; // far above the log rate of a server per second

  @BeforeEach
  void begin() {
    LogOf.begin();
  }

  private static void refuse(TestServer server, String origin) throws Exception {
    assertThat(server.send("GET", "/livez", "", r -> r.header("Origin", origin)).statusCode())
        .isEqualTo(403);
  }

  /** Sends the requests concurrently, so that they exceed the log rate even with a slow caller. */
  private static void refuseMany(TestServer server, String origin) throws Exception {
    String request = "GET /livez HTTP/1.1\r\nHost: localhost\r\nOrigin: " + origin + "\r\n";
    try (RawConnection raw = new RawConnection(server.port())) {
      raw.send((request + "\r\n").repeat(MANY - 1) + request + "Connection: close\r\n");
      assertThat(raw.readToEnd().split("HTTP/1.1 403 ", -1)).hasSize(MANY + 1);
    }
  }

  private static long logged(String origin) {
    return LogOf.audit().filter(entry -> entry.contains("origin=" + origin)).count();
  }

  @Test
  void limitsTheLogPerServer(Vertx vertx) throws Exception {
    try (TestServer busy = TestServer.start(vertx);
        TestServer quiet = TestServer.start(vertx)) {
      refuseMany(busy, "https://busy.example.com");
      refuse(quiet, "https://quiet.example.com");
    }
    assertThat(logged("https://quiet.example.com")).isEqualTo(1);
  }

  /** Returns the maximum number of entries within a rate whose bucket starts full. */
  private static long most(int perSecond, long begin) {
    double seconds = (System.nanoTime() - begin) / 1e9;
    return perSecond + (long) (perSecond * seconds + ROUNDING);
  }

  @Test
  void logsTwentyRefusalsOfAKindInASecond() {
    RefusalLog refusals = new RefusalLog();
    long begin = System.nanoTime();
    for (int i = 0; i < MANY; i++) {
      refusals.refused("test.refused").log();
    }
    long most = most(20, begin);
    assertThat(LogOf.audit().filter(entry -> entry.contains("event=test.refused")).count())
        .isBetween(20L, most);
  }

  @Test
  void logsFiveFailuresAndOneStackTraceInASecond() {
    FailureLog failures = new FailureLog();
    long begin = System.nanoTime();
    for (int i = 0; i < MANY; i++) {
      failures.log("GET /test", new IllegalStateException("broken"));
    }
    long lines = most(5, begin);
    long traces = most(1, begin);
    assertThat(LogOf.errors().filter(line -> line.startsWith("GET /test failed")).count())
        .isBetween(5L, lines);
    // if an entry has an exception, it ends with the exception's message
    assertThat(LogOf.all().filter(entry -> entry.endsWith(" broken")).count())
        .isBetween(1L, traces);
  }

  @Test
  void logsSomeRefusalsOfManyAndCountsTheOthers(Vertx vertx) throws Exception {
    try (TestServer server = TestServer.start(vertx)) {
      refuseMany(server, "https://busy.example.com");
      Conditions.await(
          () -> {
            refuse(server, "https://late.example.com");
            return LogOf.audit().anyMatch(entry -> entry.contains("unlogged="));
          });
    }
    assertThat(logged("https://busy.example.com")).isLessThan(MANY);
  }
}
