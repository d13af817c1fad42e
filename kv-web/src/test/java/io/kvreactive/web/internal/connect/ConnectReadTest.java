package io.kvreactive.web.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvU64;
import io.kvreactive.connect.wire.AtomicWrite;
import io.kvreactive.connect.wire.Check;
import io.kvreactive.connect.wire.KvEntry;
import io.kvreactive.connect.wire.MutationType;
import io.kvreactive.connect.wire.ReadRange;
import io.kvreactive.connect.wire.SnapshotRead;
import io.kvreactive.connect.wire.SnapshotReadOutput;
import io.kvreactive.connect.wire.Watch;
import io.kvreactive.connect.wire.WatchKey;
import io.kvreactive.testing.Tries;
import io.kvreactive.web.ChangedEngine;
import io.kvreactive.web.Conditions;
import io.kvreactive.web.NonBlockingThreads;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.auth.AccessRight;
import io.kvreactive.web.internal.auth.Authenticator;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.rest.TestServerContext;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Large reads, and grants of tokens. */
@ExtendWith(VertxExtension.class)
@ExtendWith(NonBlockingThreads.class)
class ConnectReadTest {
  private static final byte[] FF = {(byte) 0xFF};
  private static final int LARGE = 600;
  private static final int VALUE_BYTES = 60_000;
  private static final int READERS = 4;
  private static TestServerContext site;

  @BeforeAll
  static void start(Vertx vertx) throws Exception {
    Set<AccessRight> both = Set.of(AccessRight.READ, AccessRight.WRITE);
    site =
        new TestServerContext(
            vertx,
            KvOptions.inMemory(),
            RoutesOptions.DEFAULT,
            TestServerContext.tokens(
                new Grant("mine", both, List.of(KvKey.of("mine")), Set.of(), null),
                new Grant("reader", Set.of(AccessRight.READ), List.of(), Set.of(), null),
                new Grant("writer", Set.of(AccessRight.WRITE), List.of(), Set.of(), null)));
    writeLarge(site.kv);
  }

  private static void writeLarge(Kv kv) {
    for (int i = 0; i < LARGE; i += 100) {
      var atomic = kv.atomic();
      for (int j = i; j < i + 100; j++) {
        byte[] value = new byte[VALUE_BYTES];
        value[0] = (byte) j;
        atomic.set(KvKey.of("large", j), value);
      }
      atomic.commit().block(TestServer.TIMEOUT);
    }
  }

  @AfterAll
  static void stop() {
    site.close();
  }

  private static ConnectClient client(String token) {
    return new ConnectClient(site, HttpVersion.HTTP_2, token);
  }

  private static ReadRange large(int limit, boolean reverse) {
    byte[] start = KvKey.of("large").bytes();
    byte[] end = java.util.Arrays.copyOf(start, start.length + 1);
    end[start.length] = (byte) 0xFF;
    return ConnectClient.range(start, end, limit).toBuilder().setReverse(reverse).build();
  }

  /** More than one read of the engine returns, while the entries are continuously rewritten. */
  @Test
  void answersLargeReadsWhollyAtOneVersion() throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    Thread writer =
        new Thread(
            () -> {
              for (int round = 0; !done.get(); round++) {
                byte[] value = {(byte) round};
                site.kv
                    .atomic()
                    .set(KvKey.of("round", 0), value)
                    .set(KvKey.of("rounds", 0), value)
                    .commit()
                    .block(TestServer.TIMEOUT);
              }
            });
    writer.start();
    byte[] first = KvKey.of("round", 0).bytes();
    byte[] second = KvKey.of("rounds", 0).bytes();
    try (var client = client("all")) {
      for (int i = 0; i < Tries.of(3, 10); i++) {
        SnapshotReadOutput output =
            client.read(
                ConnectClient.range(first, FF, 1),
                large(350, false),
                large(350, true),
                large(1, false),
                ConnectClient.range(second, FF, 1));
        assertThat(output.getRangesCount()).isEqualTo(5);
        assertWhole(output.getRanges(1).getValuesList(), 0, 1);
        assertWhole(output.getRanges(2).getValuesList(), LARGE - 1, -1);
        assertThat(output.getRanges(3).getValuesCount()).isEqualTo(1);
        if (output.getRanges(0).getValuesCount() > 0) {
          assertThat(output.getRanges(0).getValues(0).getVersionstamp())
              .isEqualTo(output.getRanges(4).getValues(0).getVersionstamp());
        }
      }
    } finally {
      done.set(true);
      writer.join();
    }
    Conditions.await(() -> site.heldForAnswers() == 0);
  }

  private static void assertWhole(List<KvEntry> entries, int from, int step) {
    assertThat(entries).hasSize(350);
    for (int i = 0; i < entries.size(); i++) {
      int number = from + step * i;
      assertThat(entries.get(i).getKey().toByteArray())
          .isEqualTo(KvKey.of("large", number).bytes());
      assertThat(entries.get(i).getValue().size()).isEqualTo(VALUE_BYTES);
      assertThat(entries.get(i).getValue().byteAt(0)).isEqualTo((byte) number);
    }
  }

  /** The first read of the engine has some of the ranges as a whole, and none of the others. */
  @Test
  void answersManyKeysThatOneReadDoesNotHave() {
    ReadRange[] keys = new ReadRange[40];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = ConnectClient.point(KvKey.of("large", i));
    }
    try (var client = client("all")) {
      SnapshotReadOutput output = client.read(keys);
      assertThat(output.getRangesCount()).isEqualTo(keys.length);
      for (int i = 0; i < keys.length; i++) {
        assertThat(output.getRanges(i).getValuesCount()).isEqualTo(1);
        assertThat(output.getRanges(i).getValues(0).getValue().byteAt(0)).isEqualTo((byte) i);
      }
    }
  }

  /** Hand-written messages equal those of the generated classes byte for byte. */
  @Test
  void answersWithTheProtocolMessageForAnySize() throws Exception {
    for (int i = 0; i < 3; i++) {
      site.kv.set(KvKey.of("small", i), i).block(TestServer.TIMEOUT);
    }
    site.kv.set(KvKey.of("small", 3), KvU64.of(5)).block(TestServer.TIMEOUT);
    site.kv.set(KvKey.of("small", 4), new byte[0]).block(TestServer.TIMEOUT);
    byte[] small = KvKey.of("small").bytes();
    try (var client = client("all")) {
      for (int entries : List.of(0, 1, 3, 6, 50)) { // of 60 kB: in one part and in several
        var ranges =
            entries == 0
                ? List.of(ConnectClient.point(KvKey.of("absent")))
                : List.of(
                    large(entries, true),
                    ConnectClient.point(KvKey.of("absent")),
                    ConnectClient.range(small, FF, 5));
        var read = SnapshotRead.newBuilder().addAllRanges(ranges).build();
        var answer = client.post("/v2/snapshot_read", read);
        assertThat(answer.status()).isEqualTo(200);
        byte[] body = answer.body().getBytes();
        SnapshotReadOutput output = SnapshotReadOutput.parseFrom(body);
        assertThat(output.getRangesCount()).isEqualTo(ranges.size());
        assertThat(output.getRanges(0).getValuesCount()).isEqualTo(entries);
        assertThat(body).isEqualTo(output.toByteArray());
      }
    }
    Conditions.await(() -> site.heldForAnswers() == 0);
  }

  @Test
  void readsPresentAndAbsentKeysAtOneVersion() {
    KvKey present = KvKey.of("several", 1);
    KvKey deleted = KvKey.of("several", 2);
    KvKey never = KvKey.of("several", 3);
    try (var client = client("all")) {
      client.set(present, new byte[] {1});
      client.set(deleted, new byte[] {2});
      site.kv.delete(deleted).block(TestServer.TIMEOUT);
      var both = client.read(ConnectClient.point(present), ConnectClient.point(deleted));
      assertThat(both.getRanges(0).getValues(0).getValue().byteAt(0)).isEqualTo((byte) 1);
      assertThat(both.getRanges(1).getValuesList()).isEmpty();
      var all = client.read(ConnectClient.point(never), ConnectClient.point(present));
      assertThat(all.getRanges(0).getValuesList()).isEmpty();
      assertThat(all.getRanges(1)).isEqualTo(both.getRanges(0));
    }
  }

  @Test
  void rejectsATooLargeAnswer() throws Exception {
    try (var client = client("all")) {
      var read =
          SnapshotRead.newBuilder().addAllRanges(Collections.nCopies(3, large(LARGE, false)));
      var answer = client.post("/v2/snapshot_read", read.build());
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.text()).contains("LIMIT_EXCEEDED", "batchSize");
      Conditions.await(() -> site.heldForAnswers() == 0);
    }
  }

  @Test
  void releasesMemoryWhenTheCallerDisconnects() throws Exception {
    try (var client = client("all")) {
      byte[] read = SnapshotRead.newBuilder().addRanges(large(LARGE, false)).build().toByteArray();
      HttpClientResponse response = ConnectClient.await(client.begin("/v2/snapshot_read", read));
      assertThat(site.heldForAnswers()).isGreaterThan((long) LARGE * VALUE_BYTES);
      response.request().reset();
      Conditions.await(() -> site.heldForAnswers() == 0);
    }
  }

  /** Four reads of 21 MB begin together, where 48 MiB are left for all of them. */
  @Test
  void answersReadsOneAfterAnotherThatHaveNoMemoryTogether(Vertx vertx) throws Exception {
    AtomicInteger begun = new AtomicInteger();
    Sinks.Empty<Void> together = Sinks.empty();
    UnaryOperator<Mono<?>> waiting =
        read ->
            Mono.defer(
                () -> {
                  if (begun.incrementAndGet() == READERS) {
                    together.tryEmitEmpty();
                  }
                  return together.asMono().then(read);
                });
    var options = RoutesOptions.DEFAULT.withMaxBodyBytes(1 << 16).withMaxMemoryBytes(48 << 20);
    try (var narrow =
            new TestServerContext(
                vertx,
                KvOptions.inMemory(),
                options,
                Authenticator.OPEN,
                engine -> ChangedEngine.of(engine, "read", waiting));
        var client = new ConnectClient(narrow, HttpVersion.HTTP_2, "any")) {
      writeLarge(narrow.kv);
      byte[] read = SnapshotRead.newBuilder().addRanges(large(350, false)).build().toByteArray();
      List<Future<ConnectClient.Answer>> answers = new ArrayList<>();
      for (int i = 0; i < READERS; i++) {
        answers.add(client.answer("/v2/snapshot_read", read));
      }
      for (Future<ConnectClient.Answer> each : answers) {
        ConnectClient.Answer answer = ConnectClient.await(each);
        assertThat(answer.status()).isEqualTo(200);
        var output = SnapshotReadOutput.parseFrom(answer.body().getBytes());
        assertWhole(output.getRanges(0).getValuesList(), 0, 1);
      }
      var all =
          client.post(
              "/v2/snapshot_read",
              SnapshotRead.newBuilder()
                  .addAllRanges(Collections.nCopies(3, large(350, false)))
                  .build());
      assertThat(all.status()).as("63 MB do not fit at all").isEqualTo(400);
      assertThat(all.text()).contains("LIMIT_EXCEEDED", "batchSize");
      Conditions.await(() -> narrow.heldForAnswers() == 0);
    }
  }

  @Test
  void limitsATokenToItsPrefix() {
    KvKey mine = KvKey.of("mine", 1);
    try (var client = client("mine")) {
      client.set(mine, new byte[] {1});
      assertThat(client.get(mine)).hasSize(1);
      // as npm's client reads a key: the first at or after it
      assertThat(client.read(ConnectClient.range(mine.bytes(), FF, 1)).getRanges(0).getValuesList())
          .hasSize(1);
      byte[] absent = KvKey.of("mine", 2).bytes();
      site.kv.set(KvKey.of("not mine"), 1).block(TestServer.TIMEOUT); // the next one
      assertThat(client.read(ConnectClient.range(absent, FF, 1)).getRanges(0).getValuesList())
          .isEmpty();
      forbidden(client, read(ConnectClient.range(mine.bytes(), FF, 2)));
      forbidden(client, read(ConnectClient.range(KvKey.of("a").bytes(), FF, 1)));
      forbidden(client, read(ConnectClient.range(new byte[0], FF, 1)));
      forbidden(client, read(ConnectClient.point(KvKey.of("large", 1))));
      byte[] other = KvKey.of("other").bytes();
      forbidden(client, write(AtomicWrite.newBuilder().addMutations(set(other))));
      forbidden(
          client,
          write(
              AtomicWrite.newBuilder()
                  .addMutations(
                      set(new byte[0])
                          .setKey(ByteString.copyFrom(KvKey.of("min").bytes()))
                          .setMutationType(MutationType.M_SET_SUFFIX_VERSIONSTAMPED_KEY))));
      forbidden(
          client,
          write(
              AtomicWrite.newBuilder()
                  .addChecks(Check.newBuilder().setKey(ByteString.copyFrom(other)))));
      forbidden(
          client,
          new Request(
              "/v2/watch",
              Watch.newBuilder()
                  .addKeys(WatchKey.newBuilder().setKey(ByteString.copyFrom(mine.bytes())))
                  .addKeys(WatchKey.newBuilder().setKey(ByteString.copyFrom(other)))
                  .build()
                  .toByteArray()));
    }
  }

  @Test
  void separatesReadAndWriteAccess() {
    var write = write(AtomicWrite.newBuilder().addMutations(set(KvKey.of("rw").bytes())));
    var read = read(ConnectClient.point(KvKey.of("rw")));
    try (var reader = client("reader");
        var writer = client("writer")) {
      forbidden(reader, write);
      forbidden(reader, write(AtomicWrite.newBuilder()));
      forbidden(writer, read);
      assertThat(writer.post(write.path(), write.body()).status()).isEqualTo(200);
      assertThat(reader.post(read.path(), read.body()).status()).isEqualTo(200);
    }
  }

  private record Request(String path, byte[] body) {}

  private static Request read(ReadRange range) {
    return new Request(
        "/v2/snapshot_read", SnapshotRead.newBuilder().addRanges(range).build().toByteArray());
  }

  private static Request write(AtomicWrite.Builder write) {
    return new Request("/v2/atomic_write", write.build().toByteArray());
  }

  private static io.kvreactive.connect.wire.Mutation.Builder set(byte[] key) {
    return ConnectClient.set(key, new byte[0]).toBuilder();
  }

  private static void forbidden(ConnectClient client, Request request) {
    var answer = client.post(request.path(), request.body());
    assertThat(answer.status()).as(answer.text()).isEqualTo(403);
    assertThat(answer.contentType()).startsWith("text/plain");
  }

  /** An equal id means the same commit. Without an id, an equal body is another commit. */
  @Test
  void executesACommitWithAnIdOnce() {
    KvKey key = KvKey.of("once");
    var sum =
        AtomicWrite.newBuilder()
            .addMutations(
                set(key.bytes())
                    .setMutationType(MutationType.M_SUM)
                    .setValue(
                        io.kvreactive.connect.wire.KvValue.newBuilder()
                            .setEncodingValue(2)
                            .setData(ByteString.copyFrom(new byte[] {1, 0, 0, 0, 0, 0, 0, 0}))))
            .build();
    try (var client = client("all")) {
      client.write(sum);
      client.write(sum);
      assertThat(client.get(key).get(0).getValue().byteAt(0)).isEqualTo((byte) 2);
      client.header("Idempotency-Key", "id-1");
      var stamps = new ArrayList<ByteString>();
      for (int i = 0; i < 3; i++) {
        stamps.add(client.write(sum).getVersionstamp());
      }
      assertThat(Set.copyOf(stamps)).hasSize(1);
      assertThat(client.get(key).get(0).getValue().byteAt(0)).isEqualTo((byte) 3);
    }
  }
}
