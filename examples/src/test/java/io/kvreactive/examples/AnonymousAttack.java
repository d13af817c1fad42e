package io.kvreactive.examples;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.util.List;

/** Requests to a mounted store by callers without its token, or from pages of other origins. */
public final class AnonymousAttack {
  private static final String ENTRY = "/api/v1/entry?key=%5B%22a%22%5D";
  private static final String UPGRADE =
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
          + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  private static final List<String> CALLS =
      List.of(
          "GET " + ENTRY,
          "PUT " + ENTRY,
          "DELETE " + ENTRY,
          "DELETE /api/v1/entries?prefix=%5B%5D",
          "GET /api/v1/entries",
          "GET /api/v1/export",
          "GET /api/v1/stream",
          "POST /api/v1/atomic",
          "PUT /api/v1/collections/c",
          "POST /",
          "POST /v2/snapshot_read",
          "POST /v2/atomic_write",
          "POST /v2/watch");

  private AnonymousAttack() {}

  /**
   * Checks that the routes refuse every caller without the token.
   *
   * @param root the address below which the routes are mounted
   */
  public static void isRefused(URI root, String token) throws Exception {
    String host = "Host: " + root.getAuthority() + "\r\n";
    String bearer = "Authorization: Bearer " + token + "\r\n";
    assertThat(status(root, "GET /api/v1/info", host + bearer)).isEqualTo(200);
    for (String call : CALLS) {
      String more = call.endsWith("/stream") ? UPGRADE : "Content-Length: 1\r\n";
      String asked = call + " of " + root;
      assertThat(status(root, call, host + more)).as(asked).isEqualTo(401);
      assertThat(status(root, call, "Host: evil.example\r\n" + more)).as(asked).isEqualTo(401);
      assertThat(
              status(root, call, host + "Authorization: Bearer " + "x".repeat(40) + "\r\n" + more))
          .as(asked)
          .isEqualTo(401);
      assertThat(status(root, call, host + bearer + "Origin: http://evil.example\r\n" + more))
          .as(asked)
          .isEqualTo(403);
    }
  }

  private static int status(URI root, String call, String headers) throws Exception {
    String[] words = call.split(" ");
    try (Socket socket = new Socket(root.getHost(), root.getPort())) {
      String request =
          words[0]
              + " "
              + root.getPath()
              + words[1]
              + " HTTP/1.1\r\nx-denokv-version: 3\r\n"
              + headers
              + "\r\n1";
      socket.getOutputStream().write(request.getBytes(ISO_8859_1));
      String line =
          new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1)).readLine();
      return Integer.parseInt(line.split(" ")[1]);
    }
  }
}
