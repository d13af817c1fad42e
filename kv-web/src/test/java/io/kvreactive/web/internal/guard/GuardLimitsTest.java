package io.kvreactive.web.internal.guard;

import static io.kvreactive.web.SecurityDocument.document;
import static io.kvreactive.web.SecurityDocument.hasRow;
import static io.kvreactive.web.SecurityDocument.number;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.ConnectionOptions;
import io.vertx.core.http.HttpServerOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The limits of connections in docs/security.md equal those of the code. */
class GuardLimitsTest {
  @Test
  void namesTheLimitsOfHttp2() throws IOException {
    HttpServerOptions options = new HttpServerOptions();
    ConnectionReaper.prepare(options, ConnectionOptions.DEFAULT);
    assertThat(options.getHttp2RstFloodWindowDurationTimeUnit()).isEqualTo(TimeUnit.SECONDS);
    String resets = number(options.getHttp2RstFloodMaxRstFramePerWindow());
    int window = options.getHttp2RstFloodWindowDuration();
    assertThat(Http2Guard.SETTINGS_NANOS).isEqualTo(TimeUnit.SECONDS.toNanos(window));
    hasRow(
        "HTTP/2 requests taken back; changes of settings",
        resets + "; " + Http2Guard.MAX_SETTINGS + " in " + window + " s");
    assertThat(document())
        .contains("closed (GOAWAY) after " + resets + " refusals in " + window + " s");
  }

  @Test
  void namesTheTimeoutOfAnsweredRequests() throws IOException {
    Duration first = Duration.ofNanos(Http2Guard.ANSWERED_NANOS);
    assertThat(first).isEqualTo(Duration.ofMillis(500));
    assertThat(first.plus(ConnectionReaper.SLOWEST)).isEqualTo(Duration.ofMillis(1_500));
    hasRow("HTTP/2 request that continues after its answer", "½ to 1½ s");
  }

  @Test
  void namesTheTimeoutOfClosedConnections() throws IOException {
    assertThat(SocketGuard.CLOSE_MILLIS).isEqualTo(1_000);
    assertThat(document()).contains("is closed a second later at the latest");
  }

  @Test
  void namesTheProgressOfABody() throws IOException {
    assertThat(document())
        .contains(
            "| body comes forward by " + (TrackedConnection.PROGRESS_BYTES >> 10) + " KiB, unless");
  }

  @Test
  void namesTheLengthOfUnguessableTokens() throws IOException {
    assertThat(document())
        .contains("tokens of " + AuthHandler.UNGUESSABLE_LENGTH + " characters and");
  }

  @Test
  void namesTheMemoryOfAllConnections() throws IOException {
    assertThat(ConnectionLimiter.MEMORY_SHARE_OF_HEAP).isEqualTo(8);
    hasRow(
        "memory of all connections: unfinished and unanswered heads, body bytes over HTTP/2 that no"
            + " handler has consumed, unread answers, 12 KiB each, 48 KiB with TLS",
        "an eighth of the heap");
  }
}
