package io.kvreactive.connect.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.kvreactive.EnqueueOptions;
import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvLimits;
import io.kvreactive.KvRange;
import io.kvreactive.KvU64;
import io.kvreactive.KvValue;
import io.kvreactive.ListOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.connect.LimitsHeader;
import io.kvreactive.connect.WireCommits;
import io.kvreactive.connect.wire.AtomicWrite;
import io.kvreactive.connect.wire.AtomicWriteOutput;
import io.kvreactive.connect.wire.AtomicWriteStatus;
import io.kvreactive.connect.wire.SnapshotRead;
import io.kvreactive.connect.wire.SnapshotReadOutput;
import io.kvreactive.connect.wire.SnapshotReadStatus;
import io.kvreactive.connect.wire.WatchOutput;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/**
 * Recorded requests of Deno 2.9.6 and {@code @deno/kv} 0.14.0. This client sends the same bytes for
 * the same calls, and {@link WireCommits} reads the commits of both.
 */
@ExtendWith(VertxExtension.class)
class RecordedRequestsTest {
  private static final KvKey A = KvKey.of("a");
  private static final KvKey B = KvKey.of("b");
  private static final KvKey N = KvKey.of("n");
  private static final Versionstamp STAMP = Versionstamp.of(9);

  /** The recorded bodies by client and call, such as "deno get". */
  private static final Map<String, byte[]> RECORDED = new HashMap<>();

  private record Sent(String method, Map<String, String> headers, Buffer body) {}

  private final BlockingQueue<Sent> sent = new LinkedBlockingQueue<>();
  private Peer peer;
  private Kv kv;

  @BeforeAll
  static void read() throws IOException {
    try (InputStream file =
        RecordedRequestsTest.class.getResourceAsStream("/recorded-requests.txt")) {
      new String(file.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(line -> line.split(" "))
          .forEach(part -> RECORDED.put(part[0] + " " + part[1], HexFormat.of().parseHex(part[3])));
    }
  }

  @BeforeEach
  void connect(Vertx vertx) {
    peer = new Peer(vertx, this::answer);
    kv = peer.connect();
  }

  @AfterEach
  void close() {
    kv.close().block(Peer.TIMEOUT);
    peer.close();
  }

  /** Records a request, and answers it like an empty store. */
  private void answer(HttpServerRequest request) {
    if (request.path().equals("/")) {
      // without times of expiry, which other clients do not request
      String limits = LimitsHeader.print(KvLimits.DEFAULT).replace(",expiry=1", "");
      request.response().putHeader(LimitsHeader.NAME, limits);
      Peer.answerMetadata(request, "/v2", "data-token");
      return;
    }
    Map<String, String> headers = new HashMap<>();
    request.headers().forEach(header -> headers.put(header.getKey(), header.getValue()));
    request
        .body()
        .onSuccess(
            body -> {
              String method = request.path().substring("/v2/".length());
              sent.add(new Sent(method, headers, body));
              switch (method) {
                case "atomic_write" -> Peer.answer(request, committed());
                case "snapshot_read" -> Peer.answer(request, absent(body));
                default -> request.response().setChunked(true).write(frame());
              }
            });
  }

  private static byte[] committed() {
    return AtomicWriteOutput.newBuilder()
        .setStatus(AtomicWriteStatus.AW_SUCCESS)
        .setVersionstamp(ByteString.copyFrom(STAMP.toBytes()))
        .build()
        .toByteArray();
  }

  private static byte[] absent(Buffer body) {
    SnapshotReadOutput.Builder output =
        SnapshotReadOutput.newBuilder()
            .setReadIsStronglyConsistent(true)
            .setStatus(SnapshotReadStatus.SR_SUCCESS);
    try {
      SnapshotRead.parseFrom(body.getBytes())
          .getRangesList()
          .forEach(range -> output.addRangesBuilder());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
    return output.build().toByteArray();
  }

  private static Buffer frame() {
    WatchOutput.Builder output = WatchOutput.newBuilder().setStatus(SnapshotReadStatus.SR_SUCCESS);
    output.addKeysBuilder().setChanged(true);
    output.addKeysBuilder().setChanged(true);
    byte[] message = output.build().toByteArray();
    return Buffer.buffer().appendIntLE(message.length).appendBytes(message);
  }

  private Sent sentBy(Publisher<?> call) throws InterruptedException {
    Flux.from(call).blockLast(Peer.TIMEOUT);
    Sent request = sent.poll(1, TimeUnit.MINUTES);
    assertThat(request).isNotNull();
    return request;
  }

  private void sends(String recorded, Publisher<?> call) throws InterruptedException {
    assertThat(sentBy(call).body().getBytes()).as(recorded).isEqualTo(RECORDED.get(recorded));
  }

  @Test
  void sendsTheBytesOfOtherClients() throws Exception {
    sends("deno get", kv.get(A));
    sends("deno getMany", kv.getMany(List.of(A, B)));
    KvRange range = KvRange.between(A, B);
    sends(
        "deno listReverse", kv.list(range, ListOptions.DEFAULT.withReverse(true).withBatchSize(7)));
    sends("deno setBytes", kv.set(A, new byte[] {1, 2, 3}));
    sends("deno setU64", kv.set(A, KvU64.of(5)));
    sends("deno sum", kv.atomic().sum(N, 2).min(N, KvU64.of(3)).max(N, KvU64.of(4)).commit());
    sends("npm watch", kv.watch(List.of(A, B), Object.class).next());
  }

  @Test
  void sendsTheHeadersOfDeno() throws Exception {
    assertThat(sentBy(kv.get(A)))
        .satisfies(
            request -> {
              assertThat(request.method()).isEqualTo("snapshot_read");
              assertThat(request.headers())
                  .containsEntry("authorization", "Bearer data-token")
                  .containsEntry("content-type", "application/x-protobuf")
                  .containsEntry("x-denokv-database-id", new UUID(0, 7).toString())
                  .containsEntry("x-denokv-version", "3");
            });
  }

  /** The bytes differ: this client omits empty fields and fields with default values. */
  @Test
  void sendsTheCommitsOfOtherClients() throws Exception {
    Instant delivery =
        Instant.ofEpochMilli(recorded("npm", "enqueue").enqueues().get(0).deliverAt());
    EnqueueOptions later =
        EnqueueOptions.DEFAULT
            .withDeliverAt(delivery)
            .withBackoff(
                Stream.of(100, 200, 400, 800).map(Duration::ofMillis).toList()) // its default
            .withKeysIfUndelivered(KvKey.of("dead"));
    var checked = kv.atomic().checkAbsent(A).check(B, STAMP).set(A, 1).delete(B);
    same("npm", "delete", kv.delete(A));
    same("npm", "checks", checked.commit());
    same("npm", "enqueue", kv.queues().enqueue("hello", later));
    same("npm", "set", kv.set(KvKey.of("users", 7L, 1.5, true, new byte[] {0, -1}), "text"));
  }

  private void same(String client, String call, Publisher<?> ours) throws Exception {
    assertThat(commit(sentBy(ours).body().getBytes()))
        .as(call)
        .usingRecursiveComparison()
        .isEqualTo(recorded(client, call));
  }

  private static Commit recorded(String client, String call) throws Exception {
    return commit(RECORDED.get(client + " " + call));
  }

  private static Commit commit(byte[] body) throws InvalidProtocolBufferException {
    return WireCommits.commit(AtomicWrite.parseFrom(body), null);
  }

  @ParameterizedTest
  @ValueSource(strings = {"deno", "npm"})
  void readsCommitsOfOtherClients(String client) throws Exception {
    KvKey user = KvKey.of("users", 7L, 1.5, true, new byte[] {0, -1});
    assertThat(value(client, "set", user)).isEqualTo("text");
    assertThat(value(client, "setNumber", A)).isEqualTo(42);
    assertThat(value(client, "setBytes", A)).isEqualTo(new byte[] {1, 2, 3});
    assertThat(value(client, "setU64", A)).isEqualTo(KvU64.of(5));
    assertThat(value(client, "setMap", A)).asString().isEqualTo("{n=null, list=[1, x, true]}");
    assertThat(recorded(client, "delete").mutations())
        .usingRecursiveFieldByFieldElementComparator()
        .containsExactly(new Mutation.Delete(A.bytes()));
    KvValue two = KvValue.of(KvU64.of(2));
    assertThat(recorded(client, "sum").mutations())
        .usingRecursiveFieldByFieldElementComparator()
        .containsExactly(
            new Mutation.Sum(N.bytes(), two, null, null, false),
            new Mutation.Min(N.bytes(), KvValue.of(KvU64.of(3))),
            new Mutation.Max(N.bytes(), KvValue.of(KvU64.of(4))));
    assertThat(recorded(client, "checks").checks())
        .usingRecursiveFieldByFieldElementComparator()
        .containsExactly(new Check(A.bytes(), null), new Check(B.bytes(), STAMP));
  }

  private static Object value(String client, String call, KvKey key) throws Exception {
    Mutation.Set set = (Mutation.Set) recorded(client, call).mutations().get(0);
    assertThat(set.key()).isEqualTo(key.bytes());
    assertThat(set.expireAt()).isZero();
    return set.value().as(Object.class);
  }
}
