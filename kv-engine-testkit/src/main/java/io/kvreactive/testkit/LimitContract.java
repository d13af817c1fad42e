package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.AtomicOperation;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvKey;
import io.kvreactive.KvLimits;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.ListOptions;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;

/**
 * Every limit of {@link io.kvreactive.KvLimits}, at its maximum and just above.
 *
 * <p>The engine must use the limits of the options that it is opened with. It fulfils this contract
 * by {@code KvLimits.checkRead}, {@code checkWatch} and {@code checkCommit}.
 */
public abstract class LimitContract extends KvContract {
  private static final KvKey K = KvKey.of("k");

  @Override
  protected KvOptions configured(KvOptions options) {
    return options.withLimits(KvLimits.DENO);
  }

  /** Returns a key with the given number of encoded bytes. */
  private static KvKey keyOf(int bytes) {
    return KvKey.of("x".repeat(bytes - 2));
  }

  private void refused(Publisher<?> publisher, long given, long allowed) {
    assertThat(failure(publisher, KvErrorCode.LIMIT_EXCEEDED))
        .hasMessageContaining(String.valueOf(given))
        .hasMessageContaining(String.valueOf(allowed));
  }

  private void refusedCommit(Consumer<AtomicOperation> content, long given, long allowed) {
    AtomicOperation operation = kv.atomic();
    content.accept(operation);
    refused(operation.commit(), given, allowed);
    assertThat(all(kv.list(KvRange.all()))).isEmpty();
  }

  @Test
  public void limitsWrittenKeysTo2048Bytes() {
    set(keyOf(2048), "longest");
    assertThat(value(keyOf(2048))).isEqualTo("longest");
    get(kv.delete(keyOf(2048)));

    refused(kv.set(keyOf(2049), 1), 2049, 2048);
    refusedCommit(c -> c.set(K, 1).delete(keyOf(2049)), 2049, 2048);
    refusedCommit(c -> c.set(K, 1).sum(keyOf(2049), 1), 2049, 2048);
    refusedCommit(c -> c.set(K, 1).checkAbsent(keyOf(2049)), 2049, 2048);
  }

  @Test
  public void limitsBoundsOfReadsTo2049Bytes() {
    assertThat(exists(keyOf(2048))).isFalse();

    refused(kv.get(keyOf(2049)), 2049, 2048);
    refused(kv.getMany(List.of(K, keyOf(2049))), 2049, 2048);
    refused(kv.watch(List.of(K, keyOf(2050))), 2050, 2049);
    refused(kv.list(KvRange.between(K, keyOf(2050))), 2050, 2049);
    refused(kv.list(KvRange.prefix(keyOf(2050))), 2051, 2049);
    refused(kv.count(KvRange.prefix(keyOf(2050))), 2051, 2049);
    refused(kv.deleteRange(KvRange.prefix(keyOf(2050))), 2051, 2049);
  }

  @Test
  public void measuresASuffixedKeyWithoutItsSuffix() {
    commit(c -> c.setVersionstamped(keyOf(2048), "suffixed"));

    assertThat(all(kv.list(KvRange.prefix(keyOf(2048))))).hasSize(1);
  }

  @Test
  public void limitsValuesTo65536Bytes() {
    set(K, new byte[65_536]);
    get(kv.delete(K));

    refused(kv.set(K, new byte[65_537]), 65_537, 65_536);
    refusedCommit(c -> c.set(K, 1).setVersionstamped(K, new byte[65_537]), 65_537, 65_536);
  }

  @Test
  public void limitsGetManyToTenKeys() {
    assertThat(all(kv.getMany(Collections.nCopies(10, K)))).hasSize(10);
    refused(kv.getMany(Collections.nCopies(11, K)), 11, 10);
  }

  @Test
  public void limitsWatchToTenKeys() {
    assertThat(get(kv.watch(Collections.nCopies(10, K), Object.class).next())).hasSize(10);
    refused(kv.watch(Collections.nCopies(11, K), Object.class), 11, 10);
  }

  @Test
  public void limitsTheBatchSizeToAThousand() {
    assertThat(all(kv.list(KvRange.all(), ListOptions.DEFAULT.withBatchSize(1000)))).isEmpty();
    refused(kv.list(KvRange.all(), ListOptions.DEFAULT.withBatchSize(1001)), 1001, 1000);
  }

  @Test
  public void limitsACommitToAHundredChecks() {
    commit(c -> IntStream.range(0, 100).forEach(i -> c.checkAbsent(K)));
    refusedCommit(c -> IntStream.range(0, 101).forEach(i -> c.checkAbsent(K).set(K, 1)), 101, 100);
  }

  @Test
  public void limitsACommitToAThousandMutations() {
    commit(c -> IntStream.range(0, 1000).forEach(i -> c.delete(K)));
    refusedCommit(c -> IntStream.range(0, 1001).forEach(i -> c.delete(KvKey.of(i))), 1001, 1000);
  }

  @Test
  public void limitsACommitTo800Kibibytes() {
    // keys of 3 bytes, each counted twice
    int last = 819_200 - 12 * (65_536 + 6) - 6;
    Consumer<AtomicOperation> full =
        c -> {
          IntStream.range(0, 12).forEach(i -> c.set(K, new byte[65_536]));
          c.set(K, new byte[last]);
        };

    refusedCommit(full.andThen(c -> c.delete(K)), 819_203, 819_200);
    commit(full);
  }

  @Test
  public void limitsTheKeysOfACommitTo81920Bytes() {
    commit(c -> IntStream.range(0, 40).forEach(i -> c.set(keyOf(2048), 1)));
    commit(c -> c.delete(keyOf(2048)));
    refusedCommit(
        c -> IntStream.range(0, 41).forEach(i -> c.set(keyOf(2048), 1)), 41 * 2048, 40 * 2048);
  }
}
