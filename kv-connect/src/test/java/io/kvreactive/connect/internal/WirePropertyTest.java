package io.kvreactive.connect.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.CodedOutputStream;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.connect.WireCommits;
import io.kvreactive.connect.WireEntries;
import io.kvreactive.connect.wire.AtomicWrite;
import io.kvreactive.connect.wire.KvEntry;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.StoredEntry;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The engine's types are unchanged after encoding and decoding. */
class WirePropertyTest {
  private static final Arbitrary<byte[]> BYTES =
      Arbitraries.bytes().array(byte[].class).ofMaxSize(20);
  private static final Arbitrary<Versionstamp> STAMPS =
      Arbitraries.longs().greaterOrEqual(0).map(Versionstamp::of);
  private static final Arbitrary<Long> TIMES = Arbitraries.longs().greaterOrEqual(0);
  private static final Arbitrary<KvValue> U64S =
      Arbitraries.bytes()
          .array(byte[].class)
          .ofSize(8)
          .map(bytes -> new KvValue(KvValue.Encoding.LE64, bytes));

  private static final Arbitrary<KvValue> VALUES =
      Arbitraries.oneOf(
          U64S,
          BYTES.map(bytes -> new KvValue(KvValue.Encoding.V8, bytes)),
          BYTES.map(bytes -> new KvValue(KvValue.Encoding.BYTES, bytes)));

  @Provide
  Arbitrary<StoredEntry> entries() {
    return Combinators.combine(BYTES, VALUES, STAMPS, TIMES)
        .as((key, value, stamp, expiry) -> new StoredEntry(key, value, stamp, expiry));
  }

  @Provide
  Arbitrary<Commit> commits() {
    Arbitrary<Check> checks = Combinators.combine(BYTES, STAMPS.injectNull(0.3)).as(Check::new);
    Arbitrary<byte[]> bounds =
        Arbitraries.bytes().array(byte[].class).ofMinSize(1).ofMaxSize(20).injectNull(0.3);
    Arbitrary<Mutation> mutations =
        Arbitraries.oneOf(
            Combinators.combine(BYTES, VALUES, TIMES)
                .as((key, value, time) -> new Mutation.Set(key, value, time)),
            Combinators.combine(BYTES, VALUES, TIMES)
                .as((key, value, time) -> new Mutation.SetVersionstamped(key, value, time)),
            BYTES.map(key -> new Mutation.Delete(key)),
            Combinators.combine(BYTES, VALUES, bounds, bounds, Arbitraries.of(true, false))
                .as((key, value, min, max, clamp) -> new Mutation.Sum(key, value, min, max, clamp)),
            Combinators.combine(BYTES, U64S).as((key, value) -> new Mutation.Min(key, value)),
            Combinators.combine(BYTES, U64S).as((key, value) -> new Mutation.Max(key, value)));
    Arbitrary<List<Long>> backoffs =
        Arbitraries.longs().between(0, Integer.MAX_VALUE).list().ofMinSize(1).ofMaxSize(5);
    Arbitrary<Enqueue> enqueues =
        Combinators.combine(BYTES, TIMES, backoffs, BYTES.list().ofMaxSize(3))
            .as(
                (payload, time, backoff, keys) ->
                    new Enqueue(
                        "", new KvValue(KvValue.Encoding.V8, payload), time, backoff, keys));
    return Combinators.combine(
            checks.list().ofMaxSize(3),
            mutations.list().ofMaxSize(5),
            enqueues.list().ofMaxSize(2),
            Arbitraries.strings().injectNull(0.5))
        .as((check, mutation, enqueue, id) -> new Commit(check, List.of(), mutation, enqueue, id));
  }

  @Property
  void commitsArriveAsTheyWereSent(@ForAll("commits") Commit commit) throws Exception {
    byte[] message = CommitRequests.message(commit, true, 0).toByteArray();
    assertThat(WireCommits.commit(AtomicWrite.parseFrom(message), commit.id()))
        .usingRecursiveComparison()
        .isEqualTo(commit);
  }

  @Property
  void entriesArriveAsTheyWereSent(@ForAll("entries") StoredEntry entry) throws Exception {
    byte[] message = WireEntries.entry(entry, true).toByteArray();
    assertThat(WireEntries.entry(KvEntry.parseFrom(message)))
        .usingRecursiveComparison()
        .isEqualTo(entry);
  }

  @Property
  void entriesAreWrittenAsTheirMessages(
      @ForAll("entries") StoredEntry entry, @ForAll boolean withExpiry) throws Exception {
    byte[] written = new byte[WireEntries.size(entry, withExpiry)];
    CodedOutputStream out = CodedOutputStream.newInstance(written);
    WireEntries.write(entry, withExpiry, out);
    out.checkNoSpaceLeft();
    assertThat(written).isEqualTo(WireEntries.entry(entry, withExpiry).toByteArray());
  }
}
