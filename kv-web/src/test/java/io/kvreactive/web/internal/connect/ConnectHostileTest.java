package io.kvreactive.web.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.kvreactive.KvKey;
import io.kvreactive.connect.wire.AtomicWrite;
import io.kvreactive.connect.wire.Check;
import io.kvreactive.connect.wire.Enqueue;
import io.kvreactive.connect.wire.KvValue;
import io.kvreactive.connect.wire.Mutation;
import io.kvreactive.connect.wire.MutationType;
import io.kvreactive.connect.wire.SnapshotRead;
import io.kvreactive.connect.wire.ValueEncoding;
import io.kvreactive.connect.wire.Watch;
import io.kvreactive.connect.wire.WatchKey;
import io.kvreactive.testing.ShortTries;
import io.kvreactive.web.LogOf;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpVersion;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Hostile requests are rejected as client errors and do not stop the server. */
class ConnectHostileTest {
  private static final String READ = "/v2/snapshot_read";
  private static final String WRITE = "/v2/atomic_write";
  private static final String WATCH = "/v2/watch";
  private static final byte[] FF = {(byte) 0xFF};
  private static final KvKey KEY = KvKey.of("hostile", "present");

  private static Vertx vertx;
  private static TestServer server;
  private static ConnectClient http1;
  private static ConnectClient http2;

  @BeforeContainer
  static void start() {
    vertx = Vertx.vertx();
    server = TestServer.start(vertx);
    http1 = new ConnectClient(server, HttpVersion.HTTP_1_1);
    http2 = new ConnectClient(server, HttpVersion.HTTP_2);
    http2.set(KEY, new byte[] {1});
    LogOf.begin();
  }

  @AfterContainer
  static void stop() {
    http1.close();
    http2.close();
    server.close();
    vertx.close().await();
  }

  @Provide
  Arbitrary<byte[]> bodies() {
    Arbitrary<byte[]> any = Arbitraries.bytes().array(byte[].class).ofMaxSize(200);
    Arbitrary<Byte> tags =
        Arbitraries.of(
            (byte) 0x0A, (byte) 0x12, (byte) 0x1A, (byte) 0x22, (byte) 0x18, (byte) 0xFF);
    Arbitrary<byte[]> nested =
        Combinators.combine(tags, any)
            .as(
                (tag, bytes) ->
                    concat(new byte[] {tag, (byte) Math.min(127, bytes.length)}, bytes));
    return Arbitraries.oneOf(
        any, nested, nested.array(byte[][].class).ofMaxSize(4).map(this::join));
  }

  private byte[] join(byte[][] parts) {
    return Stream.of(parts).reduce(new byte[0], ConnectHostileTest::concat);
  }

  private static byte[] concat(byte[] a, byte[] b) {
    byte[] both = Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, both, a.length, b.length);
    return both;
  }

  @Property(tries = 400)
  @ShortTries(100)
  void answersOrRejectsAnyBytes(@ForAll("bodies") byte[] body) {
    for (String method : List.of(READ, WRITE)) {
      assertRefusedOrDone(http1.post(method, body));
      assertRefusedOrDone(http2.post(method, body));
    }
    assertRefusedOrDone(http2.post("/", body));
    var watch = ConnectClient.await(http2.begin(WATCH, body));
    assertThat(watch.statusCode()).isIn(200, 400);
    watch.request().reset();
    assertThat(LogOf.errors()).isEmpty();
    assertThat(http2.get(KEY)).hasSize(1);
  }

  private static void assertRefusedOrDone(ConnectClient.Answer answer) {
    assertThat(answer.status()).as(answer.text()).isIn(200, 400);
    if (answer.status() == 400) {
      assertThat(answer.contentType()).startsWith("text/plain");
      assertThat(answer.text()).isNotBlank();
    }
  }

  private static void refused(String method, Message message, String why) {
    for (ConnectClient client : List.of(http1, http2)) {
      var answer = client.post(method, message);
      assertThat(answer.status()).as(answer.text()).isEqualTo(400);
      assertThat(answer.contentType()).startsWith("text/plain");
      assertThat(answer.text()).contains(why);
    }
    assertThat(LogOf.errors()).isEmpty();
  }

  private static AtomicWrite mutation(UnaryOperator<Mutation.Builder> change) {
    Mutation.Builder set =
        ConnectClient.set(KvKey.of("hostile", "written").bytes(), new byte[0]).toBuilder();
    return AtomicWrite.newBuilder().addMutations(change.apply(set)).build();
  }

  private static ByteString bytes(int... bytes) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int each : bytes) {
      out.write(each);
    }
    return ByteString.copyFrom(out.toByteArray());
  }

  @Example
  void rejectsInvalidWrites() {
    refused(WRITE, mutation(m -> m.setExpireAtMs(-2)), "expire_at_ms: -2");
    refused(WRITE, mutation(m -> m.setMutationTypeValue(7)), "mutation type: 7");
    refused(WRITE, mutation(m -> m.clearMutationType()), "mutation type: 0");
    refused(WRITE, mutation(m -> m.clearValue()), "without a value");
    refused(WRITE, mutation(m -> m.clearKey()), "INVALID_KEY");
    refused(WRITE, mutation(m -> m.setKey(ByteString.copyFrom(new byte[2049]))), "2049 bytes");
    refused(
        WRITE,
        mutation(m -> m.setValue(KvValue.newBuilder().setEncodingValue(4))),
        "value encoding: 4");
    refused(
        WRITE,
        mutation(
            m ->
                m.setValue(
                    KvValue.newBuilder().setEncoding(ValueEncoding.VE_LE64).setData(bytes(1)))),
        "LE64 value of 1 bytes");
    refused(
        WRITE,
        AtomicWrite.newBuilder()
            .addChecks(
                Check.newBuilder()
                    .setKey(bytes(2, 97, 0))
                    .setVersionstamp(ByteString.copyFrom(new byte[12])))
            .build(),
        "versionstamp of 12 bytes");
    refused(
        WRITE,
        AtomicWrite.newBuilder().addEnqueues(Enqueue.newBuilder().setDeadlineMs(-1)).build(),
        "deadline_ms: -1");
    for (MutationType type : List.of(MutationType.M_SUM, MutationType.M_MIN, MutationType.M_MAX)) {
      refused(
          WRITE,
          mutation(
              m ->
                  m.setMutationType(type)
                      .setValue(
                          KvValue.newBuilder()
                              .setEncoding(ValueEncoding.VE_V8)
                              .setData(bytes(0xFF, 0x0F, 0x41, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F)))),
          "TYPE_MISMATCH");
    }
  }

  @Example
  void rejectsInvalidReads() {
    refused(READ, read(ConnectClient.range(new byte[0], FF, 0)), "limit: 0");
    refused(READ, read(ConnectClient.range(new byte[0], FF, -1)), "limit: -1");
    refused(READ, read(ConnectClient.range(new byte[0], FF, Integer.MAX_VALUE)), "10000 together");
    refused(READ, read(ConnectClient.range(new byte[3000], FF, 1)), "3000 bytes");
  }

  private static SnapshotRead read(io.kvreactive.connect.wire.ReadRange range) {
    return SnapshotRead.newBuilder().addRanges(range).build();
  }

  /** Messages that are small in encoded form and large in memory. */
  @Example
  void countsEmptyElementsBeforeAllocating() {
    byte[] ranges = new byte[4 << 20];
    for (int i = 0; i < ranges.length; i += 2) {
      ranges[i] = 0x0A; // an empty range
    }
    for (String method : List.of(READ, WRITE, WATCH)) {
      var answer = http2.post(method, ranges);
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.text()).contains("LIMIT_EXCEEDED");
    }
    var key = ByteString.copyFrom(new byte[] {1});
    AtomicWrite keys =
        AtomicWrite.newBuilder()
            .addEnqueues(
                Enqueue.newBuilder()
                    .addAllKeysIfUndelivered(java.util.Collections.nCopies(2 << 20, key)))
            .build();
    refused(WRITE, keys, "message with more fields");
    var large = http2.post(WRITE, new byte[17 << 20]);
    assertThat(large.status()).isEqualTo(413);
  }

  @Example
  void ignoresUnknownFields() {
    byte[] unknown = {(byte) 0xF8, 0x06, 1, (byte) 0xFA, 0x06, 2, 7, 7};
    assertThat(http2.post(READ, unknown).status()).isEqualTo(200);
    assertThat(http2.post(WRITE, unknown).status()).isEqualTo(200);
  }

  @Example
  void acceptsRangesWhoseBoundsAreNotKeys() {
    byte[] raw = {1};
    assertThat(http2.read(ConnectClient.range(raw, FF, 10)).getRanges(0).getValuesList())
        .isNotEmpty();
    assertThat(http2.read(ConnectClient.range(FF, raw, 10)).getRanges(0).getValuesList()).isEmpty();
  }

  /** Reserved keys of the store: queues and ids of commits. */
  @Example
  void hidesReservedKeysOfTheStore() throws Exception {
    AtomicWrite message =
        AtomicWrite.newBuilder()
            .addEnqueues(
                Enqueue.newBuilder()
                    .setPayload(bytes(0xFF, 0x0F, 0x30))
                    .setDeadlineMs(System.currentTimeMillis() + 3_600_000))
            .build();
    try (var identified = new ConnectClient(server, HttpVersion.HTTP_2)) {
      identified.header("Idempotency-Key", "hostile-id").write(message);
    }
    byte[][] starts = {{}, FF, {-1, 'c'}, {-1, 'q'}, {-1, -1}, {(byte) 0xFE}};
    byte[][] ends = {FF, {-1, -1}, {-1, -1, -1, -1}, {-1, 'z'}, {-1, 'c', 'h', 'p'}};
    for (byte[] start : starts) {
      for (byte[] end : ends) {
        for (boolean reverse : new boolean[] {false, true}) {
          var range = ConnectClient.range(start, end, 1000).toBuilder().setReverse(reverse).build();
          assertThat(http2.read(range).getRanges(0).getValuesList())
              .allMatch(entry -> (entry.getKey().byteAt(0) & 0xFF) != 0xFF);
        }
      }
    }
    ByteString id = ByteString.copyFromUtf8("chostile-id");
    ByteString system = bytes(0xFF).concat(id);
    for (MutationType type : MutationType.values()) {
      if (type != MutationType.UNRECOGNIZED && type != MutationType.M_UNSPECIFIED) {
        refused(
            WRITE,
            mutation(m -> m.setKey(system).setMutationType(type).setValue(u64())),
            "first byte 255");
      }
    }
    refused(
        WRITE,
        AtomicWrite.newBuilder().addChecks(Check.newBuilder().setKey(system)).build(),
        "first byte 255");
    refused(
        WRITE,
        AtomicWrite.newBuilder()
            .addEnqueues(Enqueue.newBuilder().addKeysIfUndelivered(system))
            .build(),
        "first byte 255");
    var watch =
        ConnectClient.await(
            http2.begin(
                WATCH,
                Watch.newBuilder()
                    .addKeys(WatchKey.newBuilder().setKey(system))
                    .build()
                    .toByteArray()));
    try (var frames = new FrameReader(watch)) {
      assertThat(frames.next().getKeys(0).hasEntryIfChanged()).isFalse();
    }
  }

  private static KvValue u64() {
    return KvValue.newBuilder()
        .setEncoding(ValueEncoding.VE_LE64)
        .setData(ByteString.copyFrom(new byte[8]))
        .build();
  }

  @Example
  void checksVersionThenTokenThenDatabase() {
    try (var client = new ConnectClient(server, HttpVersion.HTTP_2)) {
      client.header("x-denokv-version", "4").header("authorization", "Bearer wrong");
      client.header("x-denokv-database-id", "wrong");
      assertThat(client.post(READ, new byte[0]).text()).contains("x-denokv-version: 4");
      client.header("x-denokv-version", null);
      assertThat(client.post(READ, new byte[0]).text()).contains("no header x-denokv-version");
      client.header("x-denokv-version", "2");
      var unknown = client.post(READ, new byte[0]);
      assertThat(unknown.status()).isEqualTo(401);
      assertThat(unknown.contentType()).startsWith("text/plain");
      client.header("authorization", "bEARER " + TestServer.TOKEN);
      assertThat(client.post(READ, new byte[0]).text()).contains("x-denokv-database-id: wrong");
      client.header("x-denokv-database-id", ConnectClient.id(server).toString());
      assertThat(client.post(READ, new byte[0]).status()).isEqualTo(200);
      assertThat(client.post(WATCH, new byte[0]).text()).contains("watch in version 2");
    }
  }

  @Example
  void rejectsMalformedMetadataRequests() {
    for (String body :
        List.of(
            "{",
            "[]",
            "{}",
            "{\"supportedVersions\":3}",
            "{\"supportedVersions\":[\"3\"]}",
            "{\"supportedVersions\":[]}",
            "{\"supportedVersions\":[4,0,-1]}",
            "null",
            "\"")) {
      var answer = http2.post("/", body.getBytes(java.nio.charset.StandardCharsets.UTF_8));
      assertThat(answer.status()).as(body).isEqualTo(400);
      assertThat(answer.text()).contains("expected");
    }
    assertThat(
            http2
                .post("/", "[".repeat(60_000).getBytes(java.nio.charset.StandardCharsets.UTF_8))
                .status())
        .isEqualTo(400);
    assertThat(LogOf.errors()).isEmpty();
  }
}
