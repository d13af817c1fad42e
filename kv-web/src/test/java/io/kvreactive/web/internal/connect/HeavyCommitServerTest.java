package io.kvreactive.web.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.kvreactive.KvKey;
import io.kvreactive.connect.wire.AtomicWrite;
import io.kvreactive.connect.wire.Mutation;
import io.kvreactive.connect.wire.MutationType;
import io.kvreactive.connect.wire.ValueEncoding;
import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.rest.Answer;
import io.kvreactive.web.internal.rest.Rest;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpVersion;
import io.vertx.junit5.VertxExtension;
import java.math.BigInteger;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Heavy commits of one token do not block commits of others, by REST and KV Connect. */
@Timeout(120)
@ExtendWith(VertxExtension.class)
class HeavyCommitServerTest {
  private static final int SOON_SECONDS = 10; // took 21 s or more without the limit

  @TempDir Path directory;
  private TestServer server;
  private Rest admin;
  private String writer;

  @BeforeEach
  void start(Vertx vertx) {
    server = TestServer.start(vertx, ServerOptions.at(directory));
    admin = new Rest(server);
    writer =
        admin
            .post("/tokens", "{\"name\":\"writer\",\"access\":[\"WRITE\"],\"prefixes\":[[\"p\"]]}")
            .is(201)
            .text("token");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  /** Sends a commit, and concurrently sets a key of another caller. */
  private String besideOthers(String commit) throws Exception {
    CompletableFuture<HttpResponse<String>> heavy =
        Rest.client()
            .sendAsync(
                admin
                    .as(writer)
                    .request("POST", "/atomic", HttpRequest.BodyPublishers.ofString(commit)),
                HttpResponse.BodyHandlers.ofString());
    CompletableFuture<Answer> other =
        CompletableFuture.supplyAsync(() -> admin.put(Rest.key("other"), "1"));
    other.get(SOON_SECONDS, TimeUnit.SECONDS).is(200);
    HttpResponse<String> answer = heavy.get(SOON_SECONDS, TimeUnit.SECONDS);
    assertThat(answer.statusCode()).isEqualTo(400);
    return answer.body();
  }

  private static String commit(int times, String... mutations) {
    StringBuilder text = new StringBuilder("{\"mutations\":[");
    for (int i = 0; i < times; i++) {
      for (String mutation : mutations) {
        text.append(text.charAt(text.length() - 1) == '[' ? "" : ",").append(mutation);
      }
    }
    return text.append("]}").toString();
  }

  @Test
  void rejectsACommitOfManyRanges() throws Exception {
    StringBuilder keys = new StringBuilder();
    for (int i = 0; i < 300; i++) {
      keys.append(i == 0 ? "" : ",")
          .append("{\"type\":\"set\",\"key\":[\"p\",%d],\"value\":1}".formatted(i));
    }
    admin.post("/atomic", "{\"mutations\":[" + keys + "]}").is(200);
    String heavy =
        commit(
            45_000,
            "{\"type\":\"deleteRange\",\"prefix\":[\"p\"]}",
            "{\"type\":\"sum\",\"key\":[\"p\",\"n\"],\"value\":{\"$u64\":\"1\"}}");

    assertThat(besideOthers(heavy))
        .contains("LIMIT_EXCEEDED")
        .contains("deletions of ranges: 45000 (expected: at most 1000)");

    assertThat(admin.get("/count?prefix=%5B%22p%22%5D").is(200).json().get("count").intValue())
        .isEqualTo(300);
  }

  @Test
  void rejectsSumsOnALargeBigint() throws Exception {
    KvKey key = KvKey.of("p", "n");
    byte[] magnitude = BigInteger.ONE.shiftLeft(8 * (4 << 20)).toByteArray();
    try (ConnectClient client = new ConnectClient(server, HttpVersion.HTTP_2)) {
      client.write(set(key, bigint(magnitude.length + 7 & ~7)));
    }
    String sum = "{\"type\":\"sum\",\"key\":[\"p\",\"n\"],\"value\":{\"$bigint\":\"1\"}}";

    assertThat(besideOthers(commit(1000, sum)))
        .contains("LIMIT_EXCEEDED")
        .contains("stored bigint of 4194319 bytes (expected: at most 1040)");
    assertThat(besideOthers(commit(20_000, sum))).contains("LIMIT_EXCEEDED");
  }

  private static AtomicWrite set(KvKey key, byte[] v8) {
    return AtomicWrite.newBuilder()
        .addMutations(
            Mutation.newBuilder()
                .setMutationType(MutationType.M_SET)
                .setKey(ByteString.copyFrom(key.bytes()))
                .setValue(
                    io.kvreactive.connect.wire.KvValue.newBuilder()
                        .setData(ByteString.copyFrom(v8))
                        .setEncoding(ValueEncoding.VE_V8)))
        .build();
  }

  /** Returns a bigint of the given number of bytes, as encoded by V8. */
  private static byte[] bigint(int length) {
    byte[] encoded = new byte[length + 7];
    encoded[0] = (byte) 0xFF;
    encoded[1] = 15;
    encoded[2] = 'Z';
    int bits = length << 1;
    for (int i = 3; i < 7; i++) {
      encoded[i] = (byte) (bits & 0x7F | (i < 6 ? 0x80 : 0));
      bits >>>= 7;
    }
    encoded[encoded.length - 1] = 1;
    return encoded;
  }
}
