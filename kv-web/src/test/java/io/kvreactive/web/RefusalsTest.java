package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How much of what is refused gets into the audit log. */
class RefusalsTest {
  private static final int MANY = 200; // far more than a server logs in a second

  @BeforeEach
  void begin() {
    LogOf.begin();
  }

  private static void refuse(TestServer server, String origin) throws Exception {
    assertThat(server.send("GET", "/livez", "", r -> r.header("Origin", origin)).statusCode())
        .isEqualTo(403);
  }

  /** All at once, so that they come faster than they are logged however slow the caller is. */
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
  void whatOneServerRefusesHidesNothingOfAnothers() throws Exception {
    try (TestServer busy = TestServer.start();
        TestServer quiet = TestServer.start()) {
      refuseMany(busy, "https://busy.example.com");
      refuse(quiet, "https://quiet.example.com");
    }
    assertThat(logged("https://quiet.example.com")).isEqualTo(1);
  }

  @Test
  void ofManyOnlySomeAreLoggedAndTheOthersCounted() throws Exception {
    try (TestServer server = TestServer.start()) {
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
