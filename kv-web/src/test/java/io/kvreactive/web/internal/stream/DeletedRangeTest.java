package io.kvreactive.web.internal.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvChange;
import io.kvreactive.KvCommit;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.web.internal.rest.DataWriter;
import io.kvreactive.web.internal.rest.Rest;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A deleted range has the same JSON over the WebSocket and over REST. */
class DeletedRangeTest {
  static Stream<Arguments> ranges() {
    return Stream.of(
        Arguments.of(KvRange.prefix(KvKey.of("a", 1)), "\"prefix\":[\"a\",1]"),
        Arguments.of(KvRange.all(), "\"prefix\":[]"),
        Arguments.of(
            KvRange.between(KvKey.of("a"), KvKey.of("b")), "\"start\":[\"a\"],\"end\":[\"b\"]"),
        Arguments.of(
            KvRange.prefixFrom(KvKey.of("a"), KvKey.of("a", "k")),
            "\"start\":[\"a\",\"k\"],\"end\":{"));
  }

  @ParameterizedTest
  @MethodSource("ranges")
  void isReportedAlike(KvRange range, String expected) {
    KvCommit<KvValue> commit =
        new KvCommit<>(
            Versionstamp.parse("00000000000000010000"),
            Instant.EPOCH,
            List.of(new KvChange.DeleteRange<>(range)));
    FrameWriter frames = new FrameWriter();
    frames.commit(1, commit);
    String change = Rest.json(frames.text()).at("/changes/0").toString();
    assertThat(change).startsWith("{\"type\":\"deleteRange\"," + expected);
    assertThat(change)
        .isEqualTo(
            Rest.json(new String(DataWriter.bytes(commit), UTF_8)).at("/changes/0").toString());
  }
}
