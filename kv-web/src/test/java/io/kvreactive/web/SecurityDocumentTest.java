package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The limits of docs/security.md are the defaults of the code, and have tests. */
class SecurityDocumentTest {
  private static final Path TESTS = Path.of("src/test/java");

  private static String document() throws IOException {
    return Files.readString(Path.of("../docs/security.md"));
  }

  private static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  private void has(String limit, String value) throws IOException {
    assertThat(document()).contains("| " + limit + " | " + value + " |");
  }

  @Test
  void theLimitsAreTheDefaults() throws IOException {
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
  }

  @Test
  void theTestsThatHoldThemExist() throws IOException {
    Matcher named = Pattern.compile("`(\\w+Test)`").matcher(document());
    int found = 0;
    while (named.find()) {
      String file = named.group(1) + ".java";
      try (var files = Files.walk(TESTS)) {
        assertThat(files.anyMatch(path -> path.endsWith(file))).as(file).isTrue();
      }
      found++;
    }
    assertThat(found).isGreaterThan(10);
  }
}
