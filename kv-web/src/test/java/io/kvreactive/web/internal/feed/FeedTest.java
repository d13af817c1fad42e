package io.kvreactive.web.internal.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvChange;
import io.kvreactive.KvCommit;
import io.kvreactive.KvKey;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.web.NonBlockingThreads;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@ExtendWith(NonBlockingThreads.class)
class FeedTest {
  private static final KvKey KEY = KvKey.of("k");
  private static final KvValue LARGE =
      new KvValue(KvValue.Encoding.BYTES, new byte[50_000]); // content of feeds with old values

  static Stream<KvChange<KvValue>> withOldValues() {
    return Stream.of(
        new KvChange.Set<>(KEY, null, null, null, LARGE),
        new KvChange.Set<>(KEY, LARGE, null, null, null),
        new KvChange.Touch<>(KEY, null, null, LARGE),
        new KvChange.Delete<>(KEY, null, LARGE),
        new KvChange.Expire<>(KEY, null, LARGE));
  }

  @ParameterizedTest
  @MethodSource("withOldValues")
  void countsValuesOfEveryChange(KvChange<KvValue> change) {
    var commit = new KvCommit<>(Versionstamp.ZERO, Instant.EPOCH, List.of(change, change));
    assertThat(Feed.bytes(commit)).isBetween(100_000, 101_000);
  }
}
