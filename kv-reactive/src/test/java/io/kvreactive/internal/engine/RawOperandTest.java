package io.kvreactive.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvU64;
import io.kvreactive.KvValue;
import io.kvreactive.KvValue.Encoding;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.ReadRange;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Operands that only a protocol can send: of encodings that the Java interface does not offer. */
class RawOperandTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final ValueMapper VALUES = new ValueMapper();
  private static final byte[] K = KvKey.of("k").bytes();
  private static final KvValue BYTES = new KvValue(Encoding.BYTES, new byte[8]);
  private static final KvValue TEXT = VALUES.encode("text");
  private static final KvValue BIG = VALUES.encode(BigInteger.ONE);
  private static final KvValue MALFORMED = new KvValue(Encoding.V8, new byte[] {1});
  private static final KvValue FIVE = VALUES.encode(KvU64.of(5));

  private ExecutorService storeThread;
  private EmbeddedEngine engine;

  @BeforeEach
  void open() {
    storeThread = Executors.newSingleThreadExecutor();
    engine = EmbeddedEngine.open(KvOptions.inMemory(), storeThread);
  }

  @AfterEach
  void close() {
    engine.close().block(TIMEOUT);
    storeThread.shutdown();
  }

  private static Mutation.Sum sum(
      KvValue operand, byte @Nullable [] min, byte @Nullable [] max, boolean clamp) {
    return new Mutation.Sum(K, operand, min, max, clamp);
  }

  private void commit(Mutation mutation) {
    engine.commit(Commit.of(mutation)).block(TIMEOUT);
  }

  private KvValue stored() {
    return engine
        .read(List.of(ReadRange.point(K)), null)
        .block(TIMEOUT)
        .pages()
        .get(0)
        .entries()
        .get(0)
        .value();
  }

  private void mismatch(Mutation mutation) {
    assertThatThrownBy(() -> commit(mutation))
        .as(mutation.toString())
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.TYPE_MISMATCH));
  }

  @Test
  void rejectsNonNumericOperandsForAnyStoredValue() {
    for (KvValue stored : new KvValue[] {null, FIVE, TEXT, BIG}) {
      commit(stored == null ? new Mutation.Delete(K) : new Mutation.Set(K, stored));
      Stream.of(BYTES, TEXT, MALFORMED, VALUES.encode(null), VALUES.encode(true))
          .forEach(operand -> mismatch(sum(operand, null, null, false)));
      Stream.of(BYTES, TEXT, MALFORMED, BIG)
          .forEach(
              operand -> {
                mismatch(new Mutation.Min(K, operand));
                mismatch(new Mutation.Max(K, operand));
              });
    }
  }

  @Test
  void rejectsBoundsOfAnotherKindEvenForAnAbsentKey() {
    byte[] number = VALUES.encode(1.0).bytes();
    byte[] big = VALUES.encode(BigInteger.TEN).bytes();
    for (KvValue stored : new KvValue[] {null, BIG}) {
      commit(stored == null ? new Mutation.Delete(K) : new Mutation.Set(K, stored));
      mismatch(sum(BIG, number, null, false));
      mismatch(sum(BIG, null, number, true));
      mismatch(sum(VALUES.encode(1.0), big, null, false));
      mismatch(sum(BIG, TEXT.bytes(), null, false));
      mismatch(sum(BIG, FIVE.bytes(), null, false));
    }
  }

  @Test
  void ignoresEmptyBounds() {
    commit(new Mutation.Set(K, FIVE));

    commit(sum(BIG, new byte[0], new byte[0], false));

    assertThat(stored()).isEqualTo(VALUES.encode(KvU64.of(6)));
  }

  @Test
  void ignoresBoundsForU64Operands() {
    commit(new Mutation.Set(K, FIVE));

    commit(sum(FIVE, null, VALUES.encode(KvU64.of(1)).bytes(), true));

    assertThat(stored()).isEqualTo(VALUES.encode(KvU64.of(10)));
  }

  @Test
  void storesASumOfIntegersAsDouble() {
    commit(sum(VALUES.encode(3), null, null, false));
    assertThat(stored()).isEqualTo(VALUES.encode(3.0));

    commit(new Mutation.Set(K, VALUES.encode(4)));
    commit(sum(VALUES.encode(3), null, null, false));
    assertThat(stored()).isEqualTo(VALUES.encode(7.0));
  }
}
