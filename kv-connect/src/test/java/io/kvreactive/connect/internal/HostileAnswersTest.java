package io.kvreactive.connect.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.Versionstamp;
import io.kvreactive.connect.wire.KvEntry;
import io.kvreactive.connect.wire.SnapshotReadOutput;
import io.kvreactive.connect.wire.ValueEncoding;
import io.kvreactive.http.client.AttemptFailure;
import io.kvreactive.http.client.HttpAnswer;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Any bytes from a server are decoded or cause a clear failure. */
class HostileAnswersTest {
  private static final KvRange RANGE = KvRange.prefix("a");
  private static final List<ReadRange> ASKED =
      List.of(new ReadRange(RANGE.startBytes(), RANGE.endBytes(), 3, false, false));

  private static void isClear(Runnable parse) {
    try {
      parse.run();
    } catch (AttemptFailure e) {
      assertThat(KvError.is(e.shown(), KvErrorCode.UNAVAILABLE)).isTrue();
    }
  }

  private static KvEntry entry(KvKey key) {
    return KvEntry.newBuilder()
        .setKey(ByteString.copyFrom(key.bytes()))
        .setEncoding(ValueEncoding.VE_BYTES)
        .setVersionstamp(ByteString.copyFrom(Versionstamp.of(7).toBytes()))
        .build();
  }

  private static byte[] answer(KvEntry... entries) {
    SnapshotReadOutput.Builder output = SnapshotReadOutput.newBuilder();
    output.addRangesBuilder().addAllValues(List.of(entries));
    return output.setReadIsStronglyConsistent(true).setStatusValue(1).build().toByteArray();
  }

  private static String refusal(byte[] answer) {
    AtomicReference<String> message = new AtomicReference<>("");
    try {
      ReadResponseParser.parse(answer, ASKED, 3);
    } catch (AttemptFailure e) {
      message.set(e.getMessage());
    }
    return message.get();
  }

  @Property(tries = 2000)
  void decodesAnyReadAnswerOrFailsClearly(@ForAll byte[] bytes) {
    isClear(() -> ReadResponseParser.parse(bytes, ASKED, 3));
  }

  @Property(tries = 2000)
  void decodesADamagedReadAnswerOrFailsClearly(
      @ForAll @IntRange(max = 59) int at, @ForAll byte damage, @ForAll boolean cut) {
    byte[] bytes = answer(entry(KvKey.of("a", 1)), entry(KvKey.of("a", 2)));
    int place = at % bytes.length;
    if (cut) {
      byte[] shorter = java.util.Arrays.copyOf(bytes, place);
      isClear(() -> ReadResponseParser.parse(shorter, ASKED, 3));
    } else {
      bytes[place] = damage;
      isClear(() -> ReadResponseParser.parse(bytes, ASKED, 3));
    }
  }

  @Property(tries = 1000)
  void decodesAnyFramesOrFailsClearly(@ForAll @Size(max = 200) byte[] bytes) {
    WatchedState state = new WatchedState(List.of(KvKey.of("a").bytes()), Versionstamp.ZERO);
    isClear(() -> new FrameParser(1 << 20, state::after).add(Buffer.buffer(bytes)));
  }

  @Property(tries = 1000)
  void decodesAnyMetadataOrFailsClearly(@ForAll byte[] bytes) {
    HttpAnswer answer =
        new HttpAnswer(200, MultiMap.caseInsensitiveMultiMap(), Buffer.buffer(bytes));
    isClear(() -> DatabaseMetadata.parse(answer, URI.create("http://h")));
  }

  @Property(tries = 500)
  void mapsAnyRefusalToAFailure(
      @ForAll @IntRange(min = 100, max = 999) int status, @ForAll String s) {
    AttemptFailure failure =
        ErrorResponses.of(
            URI.create("http://h/v2"),
            new HttpAnswer(
                status,
                MultiMap.caseInsensitiveMultiMap().add("Content-Type", "application/problem+json"),
                Buffer.buffer(s)));
    assertThat(failure.getMessage().length()).isLessThan(600);
  }

  @Test
  void rejectsEntriesThatWereNotRequested() {
    List<KvEntry> entries = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      entries.add(entry(KvKey.of("a", i)));
    }
    List<RangePage> pages =
        ReadResponseParser.parse(answer(entries.toArray(new KvEntry[0])), ASKED, 3).pages();
    assertThat(pages.get(0).entries()).hasSize(3);
    assertThat(pages.get(0).resumeAfter()).isEqualTo(KvKey.of("a", 2).bytes());
    entries.add(entry(KvKey.of("a", 3)));
    assertThat(refusal(answer(entries.toArray(new KvEntry[0])))).contains("more than the 3");
    assertThat(refusal(answer(entries.get(1), entries.get(0)))).contains("out of order");
    assertThat(refusal(answer(entries.get(1), entries.get(1)))).contains("out of order");
    assertThat(refusal(answer(entry(KvKey.of("b"))))).contains("outside");
    assertThat(refusal(new byte[0])).contains("stopped reading");
    byte[] twoRanges = Buffer.buffer(answer()).appendBytes(answer()).getBytes();
    assertThat(refusal(twoRanges)).contains("more than the 1 requested ranges");
  }
}
