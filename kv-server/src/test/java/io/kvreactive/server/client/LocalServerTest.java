package io.kvreactive.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvKey;
import io.kvreactive.json.KvJson;
import io.kvreactive.server.ExitCode;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server of a directory: accessible to this process only, and without limits per caller. */
class LocalServerTest {
  @TempDir Path directory;

  private static int status(URI uri, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(60));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HttpClient.newHttpClient()
        .send(request.build(), HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  @Test
  void answersThisProcessOnly() throws Exception {
    try (LocalServer server = LocalServer.open(directory.resolve("store"), true, false, false)) {
      URI base = server.client().base();
      URI stats = URI.create(base + "/api/v1/stats");
      String token = server.client().token();
      assertThat(InetAddress.getByName(base.getHost()).isLoopbackAddress()).isTrue();
      assertThat(token).matches("[0-9a-f]{64}");
      assertThat(status(stats, "Authorization", "Bearer " + token)).isEqualTo(200);
      assertThat(status(stats)).isEqualTo(401);
      assertThat(status(stats, "Authorization", "Bearer ")).isEqualTo(401);
      assertThat(status(stats, "Authorization", "Bearer " + "0".repeat(64))).isEqualTo(401);
      assertThat(status(URI.create(base + "/"))).isEqualTo(401);
      assertThat(status(URI.create(base + "/readyz"))).isEqualTo(401);
    }
  }

  @Test
  void takesLongKeysAndLargeOperations() {
    try (Target target = Target.open(directory.resolve("store"), true, false, false)) {
      KvKey key = KvKey.of("é".repeat(600));
      ObjectNode operation = CliJson.object();
      var mutations = operation.putArray("mutations");
      for (int i = 0; i < 300; i++) { // 18 MB, above the limit of a server
        ObjectNode set = mutations.addObject().put("type", "set");
        set.set("key", KvJson.toJson(KvKey.of("é".repeat(600), i)));
        set.put("value", "x".repeat(60_000));
      }
      mutations.addObject().put("type", "set").put("value", 1).set("key", KvJson.toJson(key));
      assertThat(target.atomic(operation).path("committed").asBoolean()).isTrue();
      assertThat(target.get(key).path("value").asInt()).isEqualTo(1);
      assertThat(target.count(new KeySelection(key, null, null))).isEqualTo(300);
    }
  }

  @Test
  void cannotBeReachedAfterItsEnd() {
    RestClient client;
    try (LocalServer server = LocalServer.open(directory.resolve("store"), true, false, false)) {
      client = server.client();
    }
    assertThatThrownBy(() -> client.json("GET", "/api/v1/stats", Map.of(), null))
        .isInstanceOf(CliException.class);
    assertThatThrownBy(() -> LocalServer.open(directory.resolve("other"), false, false, false))
        .hasMessageContaining("--create")
        .isInstanceOfSatisfying(
            CliException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.USAGE));
  }
}
