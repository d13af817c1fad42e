package io.kvreactive.web.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.connect.wire.AtomicWrite;
import io.kvreactive.connect.wire.Check;
import io.kvreactive.connect.wire.Enqueue;
import io.kvreactive.connect.wire.Mutation;
import io.kvreactive.connect.wire.MutationType;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.rest.Rest;
import io.kvreactive.web.internal.rest.TestServerContext;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpVersion;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Keys that no encoder produces. KV Connect rejects them, and stores that contain such keys remain
 * usable.
 */
@ExtendWith(VertxExtension.class)
class UnnamedKeysTest {
  private static final HexFormat HEX = HexFormat.of();

  /** Undecodable keys in order, with a key below {@code ["p"]} in the middle. */
  private static final List<String> MALFORMED =
      List.of("00", "0003", "02616263", "02700000", "027000026162", "02ff00", "05", "2180", "fe");

  private TestServerContext site;
  private Rest rest;
  private ConnectClient connect;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    site = new TestServerContext(vertx);
    rest = site.rest();
    connect = new ConnectClient(site, HttpVersion.HTTP_2, "any");
  }

  @AfterEach
  void stop() {
    connect.close();
    site.close();
  }

  private static byte[] bytes(String hex) {
    return HEX.parseHex(hex);
  }

  private static String json(String hex) {
    return "{\"$key\":\"" + Base64.getEncoder().encodeToString(bytes(hex)) + "\"}";
  }

  /** Stores such keys, as stores of earlier versions may contain them. */
  private void store(List<String> keys) {
    for (String key : keys) {
      site.kv.set(KvKey.fromEncoded(bytes(key)), "damaged").block(TestServer.TIMEOUT);
    }
  }

  private List<String> stored() {
    return site.kv
        .list(io.kvreactive.KvRange.prefix(KvKey.EMPTY), String.class)
        .map(entry -> HEX.formatHex(entry.key().bytes()))
        .collectList()
        .block(TestServer.TIMEOUT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "00",
        "02616263",
        "2180",
        "02ff00",
        "05",
        "fe",
        "0263",
        "1d",
        "15",
        "20",
        "02edA08000",
        "02c08000",
        "160005",
        "1500",
        "1d0101",
        "21fff8000000000001",
        "0bfe01"
      })
  void rejectsOtherCommits(String hex) {
    byte[] key = bytes(hex);
    for (MutationType type :
        List.of(
            MutationType.M_SET,
            MutationType.M_SUM,
            MutationType.M_MIN,
            MutationType.M_MAX,
            MutationType.M_SET_SUFFIX_VERSIONSTAMPED_KEY)) {
      Mutation mutation =
          ConnectClient.set(key, new byte[1]).toBuilder().setMutationType(type).build();
      refused(AtomicWrite.newBuilder().addMutations(mutation).build());
    }
    refused(
        AtomicWrite.newBuilder()
            .addEnqueues(
                Enqueue.newBuilder()
                    .setPayload(ByteString.copyFrom(bytes("ff0f30")))
                    .addKeysIfUndelivered(ByteString.copyFrom(key)))
            .build());
    assertThat(stored()).isEmpty();
  }

  private void refused(AtomicWrite write) {
    ConnectClient.Answer answer = connect.post("/v2/atomic_write", write);
    assertThat(answer.status()).as(answer.text()).isEqualTo(400);
    assertThat(answer.text()).startsWith("INVALID_KEY: key [").contains("(expected: ");
  }

  @Test
  void checksAndDeletesOneInACommit() {
    store(List.of("2180"));
    ByteString key = ByteString.copyFrom(bytes("2180"));
    connect.write(
        AtomicWrite.newBuilder()
            .addChecks(Check.newBuilder().setKey(ByteString.copyFrom(bytes("05"))))
            .addMutations(Mutation.newBuilder().setKey(key).setMutationType(MutationType.M_DELETE))
            .build());
    assertThat(stored()).isEmpty();
  }

  @Test
  void showsThemInTheTree() {
    store(MALFORMED);
    site.kv.set(KvKey.of("a"), 1).block(TestServer.TIMEOUT);
    site.kv.set(KvKey.of("a", 1, 2), 1).block(TestServer.TIMEOUT);
    site.kv.set(KvKey.of("z", 1), 1).block(TestServer.TIMEOUT);
    List<String> root =
        List.of(
            json("00") + " key",
            json("0003") + " key",
            "[\"a\"] key below",
            json("02616263") + " key",
            "[\"p\"] below",
            "[\"z\"] below",
            json("02ff00") + " key",
            json("05") + " key",
            json("2180") + " key",
            json("fe") + " key");
    for (int limit : new int[] {1, 2, 3, 100}) {
      assertThat(tree("[]", limit)).isEqualTo(root);
      assertThat(tree("[\"p\"]", limit))
          .containsExactly(json("02700000") + " key", json("027000026162") + " key");
    }
    JsonNode child = rest.get("/tree?limit=1").is(200).json().get("children").get(0);
    assertThat(child.get("part").toString()).isEqualTo(json("00"));
  }

  private List<String> tree(String prefix, int limit) {
    List<String> children = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode page =
          rest.get(
                  "/tree?prefix=%s&limit=%d&cursor=%s"
                      .formatted(Rest.encode(prefix), limit, Rest.encode(cursor)))
              .is(200)
              .json();
      for (JsonNode child : page.get("children")) {
        children.add(
            child.get("key")
                + (child.get("isKey").booleanValue() ? " key" : "")
                + (child.get("hasChildren").booleanValue() ? " below" : ""));
      }
      cursor = page.get("cursor").asText("");
    } while (!cursor.isEmpty());
    return children;
  }

  @Test
  void readsAndDeletesThemOverRest() {
    store(MALFORMED);
    for (String key : MALFORMED) {
      String query = "key=" + Rest.encode(json(key));
      JsonNode entry = rest.get("/entry?" + query).is(200).json();
      assertThat(entry.get("key").toString()).isEqualTo(json(key));
      assertThat(entry.get("value").asText()).isEqualTo("damaged");
      rest.ask("PUT", "/entry?" + query, Rest.body("1")).problem(400, "INVALID_KEY");
      rest.post("/entries/get", "{\"keys\":[" + json(key) + "]}").is(200);
      rest.ask("DELETE", "/entry?" + query, null).is(200);
      rest.get("/entry?" + query).problem(404, "NO_SUCH_KEY");
    }
    assertThat(stored()).isEmpty();
    store(List.of("00", "2180"));
    rest.post(
            "/atomic",
            "{\"checks\":[{\"key\":%s,\"versionstamp\":null}],\"mutations\":[{\"type\":\"delete\",\"key\":%s}]}"
                .formatted(json("05"), json("00")))
        .is(200);
    rest.post(
            "/atomic",
            "{\"mutations\":[{\"type\":\"set\",\"key\":%s,\"value\":1}]}".formatted(json("05")))
        .problem(400, "INVALID_KEY");
    rest.ask(
            "DELETE",
            "/entries?start=%s&end=%s"
                .formatted(Rest.encode(json("21")), Rest.encode(json("2181"))),
            null)
        .is(200);
    assertThat(stored()).isEmpty();
  }

  @Test
  void hidesReservedKeysOfTheStore() {
    rest.post("/enqueue", "{\"queue\":\"q\",\"value\":1,\"delay\":3600000}").is(200);
    List<String> own = List.of("ff", "ff71", "ff6363", "ff72ff", "ffff");
    for (String key : own) {
      String query = "/entry?key=" + Rest.encode(json(key));
      rest.get(query).problem(404, "NO_SUCH_KEY");
      rest.ask("DELETE", query, null).problem(400, "INVALID_KEY");
      String line = "{\"key\":" + json(key) + ",\"value\":1}";
      rest.post("/import", line, "Content-Type", "application/x-ndjson")
          .problemOfWork(400, "INVALID_KEY");
      for (String start : own) {
        if (start.compareTo(key) <= 0) {
          String range =
              "start=%s&end=%s".formatted(Rest.encode(json(start)), Rest.encode(json(key)));
          assertThat(rest.get("/entries?" + range).is(200).json().get("entries")).isEmpty();
          rest.ask("DELETE", "/entries?" + range, null).is(200);
        }
      }
    }
    JsonNode queue = rest.get("/queues").is(200).json().at("/queues/0");
    assertThat(queue.get("depth").asInt()).as(queue.toString()).isEqualTo(1);
  }

  @Test
  void importsAnExport(Vertx vertx) throws Exception {
    store(MALFORMED);
    String lines = rest.get("/export").is(200).body();
    assertThat(lines.lines()).hasSize(MALFORMED.size());
    assertThat(rest.get("/entries", "Accept", "application/x-ndjson").is(200).body())
        .isEqualTo(lines);
    rest.clear();
    rest.post("/import", lines, "Content-Type", "application/x-ndjson").is(200);
    assertThat(stored()).containsExactlyElementsOf(MALFORMED);
    Kv other = Kv.inMemory(vertx).block(TestServer.TIMEOUT);
    other
        .admin()
        .importLines(site.kv.admin().exportLines(io.kvreactive.KvRange.prefix(KvKey.EMPTY)))
        .blockLast(TestServer.TIMEOUT);
    assertThat(other.count(io.kvreactive.KvRange.prefix(KvKey.EMPTY)).block(TestServer.TIMEOUT))
        .isEqualTo(MALFORMED.size());
    other.close().block(TestServer.TIMEOUT);
  }
}
