package io.kvreactive.web.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import io.kvreactive.KvKey;
import io.kvreactive.connect.wire.AtomicWrite;
import io.kvreactive.connect.wire.AtomicWriteStatus;
import io.kvreactive.connect.wire.Check;
import io.kvreactive.connect.wire.Mutation;
import io.kvreactive.connect.wire.MutationType;
import io.kvreactive.connect.wire.SnapshotReadOutput;
import io.kvreactive.connect.wire.SnapshotReadStatus;
import io.kvreactive.web.KvRoutes;
import io.kvreactive.web.NonBlockingThreads;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.Router;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@ExtendWith(VertxExtension.class)
@ExtendWith(NonBlockingThreads.class)
class ConnectTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final byte[] FF = {(byte) 0xFF};
  private static TestServer server;

  @BeforeAll
  static void start(Vertx vertx) {
    server = TestServer.start(vertx);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static ConnectClient client() {
    return new ConnectClient(server, HttpVersion.HTTP_2);
  }

  @ParameterizedTest
  @CsvSource({
    "/, [1;2;3], 3, ./v2",
    "/, [2;1;7], 2, ./v2",
    "/db/other, [3], 3, ./other/v2",
    "/db/other/, [3], 3, ./v2"
  })
  void returnsTheDataEndpointInMetadata(String path, String versions, int version, String url)
      throws Exception {
    HttpResponse<String> response =
        server.post(path, "{\"supportedVersions\":" + versions.replace(';', ',') + "}");
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    assertThat(response.headers().allValues("content-type")).containsExactly("application/json");
    JsonNode metadata = JSON.readTree(response.body());
    List<String> names = new ArrayList<>();
    metadata.fieldNames().forEachRemaining(names::add);
    assertThat(names)
        .containsExactlyInAnyOrder("version", "databaseId", "endpoints", "token", "expiresAt");
    assertThat(metadata.get("version").intValue()).isEqualTo(version);
    String info = path.equals("/") ? "/api/v1/info" : "/db/other/api/v1/info";
    assertThat(metadata.get("databaseId"))
        .isEqualTo(JSON.readTree(server.get(info).body()).get("databaseId"));
    assertThat(metadata.get("endpoints").toString())
        .isEqualTo("[{\"url\":\"" + url + "\",\"consistency\":\"strong\"}]");
    assertThat(metadata.get("token").asText()).isEqualTo(TestServer.TOKEN);
    assertThat(metadata.get("expiresAt").asText())
        .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
    assertThat(Instant.parse(metadata.get("expiresAt").asText()))
        .isAfter(Instant.now().plusSeconds(3600));
    URI endpoint = server.uri(path).resolve(url);
    assertThat(endpoint.getPath()).isEqualTo(path.equals("/") ? "/v2" : "/db/other/v2");
  }

  @Test
  void answersNoBodyWithVersionOneAndAnAbsoluteUrl() throws Exception {
    for (String path : List.of("/", "/db/other", "/db/other/")) {
      JsonNode metadata = JSON.readTree(server.send("POST", path, "", r -> r).body());
      assertThat(metadata.get("version").intValue()).isEqualTo(1);
      assertThat(metadata.get("endpoints").get(0).get("url").asText())
          .isEqualTo(server.uri(path.equals("/") ? "/v2" : "/db/other/v2").toString());
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = HttpVersion.class,
      names = {"HTTP_1_1", "HTTP_2"})
  void readsWrittenValues(HttpVersion version) {
    try (var client = new ConnectClient(server, version)) {
      KvKey key = KvKey.of("written", version.name());
      var stamp = client.set(key, new byte[] {1, 2});
      SnapshotReadOutput read =
          client.read(ConnectClient.point(key), ConnectClient.range(key.bytes(), FF, 1));
      assertThat(read.getReadIsStronglyConsistent()).isTrue();
      assertThat(read.getStatus()).isEqualTo(SnapshotReadStatus.SR_SUCCESS);
      assertThat(read.getRangesCount()).isEqualTo(2);
      var entry = read.getRanges(0).getValues(0);
      assertThat(entry.getKey().toByteArray()).isEqualTo(key.bytes());
      assertThat(entry.getValue().toByteArray()).containsExactly(1, 2);
      assertThat(entry.getVersionstamp().toByteArray()).isEqualTo(stamp.toBytes());
      assertThat(read.getRanges(1).getValues(0)).isEqualTo(entry);
    }
  }

  @Test
  void sendsTheExactContentType() {
    try (var client = client()) {
      var read = client.post("/v2/snapshot_read", new byte[0]);
      assertThat(read.status()).isEqualTo(200);
      assertThat(read.contentType()).isEqualTo("application/x-protobuf");
      assertThat(client.post("/v2/atomic_write", new byte[0]).contentType())
          .isEqualTo("application/x-protobuf");
    }
  }

  @Test
  void answersAnEmptyWriteWithTheNewestVersion() {
    try (var client = client()) {
      var first = client.write(AtomicWrite.getDefaultInstance());
      var second = client.write(AtomicWrite.getDefaultInstance());
      assertThat(first.getStatus()).isEqualTo(AtomicWriteStatus.AW_SUCCESS);
      assertThat(ByteString.unsignedLexicographicalComparator())
          .satisfies(
              (Comparator<ByteString> order) ->
                  assertThat(order.compare(first.getVersionstamp(), second.getVersionstamp()))
                      .isZero());
    }
  }

  @Test
  void reportsFailedChecks() {
    try (var client = client()) {
      KvKey present = KvKey.of("checked", "present");
      KvKey absent = KvKey.of("checked", "absent");
      client.set(present, new byte[0]);
      var output =
          client.write(
              AtomicWrite.newBuilder()
                  .addChecks(Check.newBuilder().setKey(bytes(absent)))
                  .addChecks(Check.newBuilder().setKey(bytes(present)))
                  .addChecks(
                      Check.newBuilder()
                          .setKey(bytes(absent))
                          .setVersionstamp(ByteString.copyFrom(new byte[10])))
                  .addMutations(
                      Mutation.newBuilder()
                          .setKey(bytes(present))
                          .setMutationType(MutationType.M_DELETE))
                  .build());
      assertThat(output.getStatus()).isEqualTo(AtomicWriteStatus.AW_CHECK_FAILURE);
      assertThat(output.getFailedChecksList()).containsExactly(1, 2);
      assertThat(client.get(present)).hasSize(1);
    }
  }

  /** Mounts the routes below a path of another program's router. */
  @Test
  void worksBelowAnotherPath(Vertx vertx) throws Exception {
    var kv = io.kvreactive.Kv.inMemory(vertx).block(TestServer.TIMEOUT);
    Router inner = Router.router(vertx);
    KvRoutes.mountUnauthenticated(vertx, inner, kv, RoutesOptions.DEFAULT);
    Router outer = Router.router(vertx);
    outer.route("/below/kv*").subRouter(inner);
    var http =
        ConnectClient.await(vertx.createHttpServer().requestHandler(outer).listen(0, "127.0.0.1"));
    try (var client =
        new ConnectClient(
            vertx, http.actualPort(), HttpVersion.HTTP_2, "/below/kv", kv.historyId())) {
      for (String path : List.of("", "/")) {
        byte[] request = "{\"supportedVersions\":[3]}".getBytes(StandardCharsets.UTF_8);
        var answer = client.post(path, request);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        String url = JSON.readTree(answer.text()).get("endpoints").get(0).get("url").asText();
        assertThat(URI.create("http://h/below/kv" + path).resolve(url).getPath())
            .isEqualTo("/below/kv/v2");
      }
      KvKey key = KvKey.of("below");
      client.set(key, new byte[1]);
      assertThat(client.get(key)).hasSize(1);
      var refused = client.post("/v2/atomic_write", new byte[] {0x0A});
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.contentType()).startsWith("text/plain");
    } finally {
      ConnectClient.await(http.close());
      kv.close().block(TestServer.TIMEOUT);
    }
  }

  private static ByteString bytes(KvKey key) {
    return ByteString.copyFrom(key.bytes());
  }
}
