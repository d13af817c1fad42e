package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertAll;

import io.kvreactive.AtomicOperation;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvKey;
import io.kvreactive.KvU64;
import io.kvreactive.SumBounds;
import java.math.BigInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Sum, min and max: each row of the table in section 4.6 of the specification of Deno KV.
 *
 * <p>An engine that applies mutations by {@link io.kvreactive.spi.CommitRules} fulfils it.
 */
public abstract class ArithmeticContract extends KvContract {
  private static final KvKey K = KvKey.of("k");
  private static final KvU64 MAX = KvU64.wrapped(-1);
  private static final Object ABSENT = "(absent)";
  private static final BigInteger HUGE = BigInteger.TWO.pow(70);

  /**
   * An application of an arithmetic operation.
   *
   * @param expected a value, or the code of a failure
   */
  private record Row(
      Object stored, String text, UnaryOperator<AtomicOperation> change, Object expected) {
    @Override
    public String toString() {
      return stored + " " + text + " -> " + expected;
    }
  }

  private static Row sum(Object stored, long by, Object expected) {
    return new Row(stored, "sum u64 " + by, c -> c.sum(K, by), expected);
  }

  private static Row min(Object stored, long by, Object expected) {
    return new Row(stored, "min " + by, c -> c.min(K, KvU64.wrapped(by)), expected);
  }

  private static Row max(Object stored, long by, Object expected) {
    return new Row(stored, "max " + by, c -> c.max(K, KvU64.wrapped(by)), expected);
  }

  private static Row big(Object stored, BigInteger by, Object expected) {
    return big(stored, by, null, null, false, expected);
  }

  private static Row big(
      Object stored,
      BigInteger by,
      @Nullable Integer min,
      @Nullable Integer max,
      boolean clamp,
      Object expected) {
    SumBounds<BigInteger> bounds = new SumBounds<>(bigOf(min), bigOf(max), clamp);
    String text = "sum bigint " + by + " " + bounds;
    return new Row(stored, text, c -> c.sum(K, by, bounds), expected);
  }

  private static @Nullable BigInteger bigOf(@Nullable Integer number) {
    return number == null ? null : BigInteger.valueOf(number);
  }

  private static Row number(Object stored, double by, Object expected) {
    return number(stored, by, SumBounds.none(), expected);
  }

  private static Row number(Object stored, double by, SumBounds<Double> bounds, Object expected) {
    String text = "sum number " + by + " " + bounds;
    return new Row(stored, text, c -> c.sum(K, by, bounds), expected);
  }

  private static BigInteger big(long number) {
    return BigInteger.valueOf(number);
  }

  private static Stream<Row> rows() {
    Object mismatch = KvErrorCode.TYPE_MISMATCH;
    Object range = KvErrorCode.OUT_OF_RANGE;
    KvU64 five = KvU64.of(5);
    return Stream.of(
        // LE64 operand
        sum(ABSENT, 5, five),
        min(ABSENT, 5, five),
        max(ABSENT, 5, five),
        sum(five, 7, KvU64.of(12)),
        sum(five, -1, KvU64.of(4)),
        sum(KvU64.of(0), -1, MAX),
        sum(MAX, 2, KvU64.of(1)),
        min(five, 4, KvU64.of(4)),
        min(five, 6, five),
        min(MAX, Long.MAX_VALUE, KvU64.of(Long.MAX_VALUE)),
        min(five, -1, five),
        max(five, 6, KvU64.of(6)),
        max(five, 4, five),
        max(five, -1, MAX),
        sum("text", 1, mismatch),
        sum(big(1), 1, mismatch),
        sum(1.0, 1, mismatch),
        sum(new byte[8], 1, mismatch),
        min("text", 1, mismatch),
        min(big(1), 1, mismatch),
        max(new byte[8], 1, mismatch),
        max(1.0, 1, mismatch),
        // absent: the operand as it is, bounds not applied, numbers as doubles
        big(ABSENT, big(-3), big(-3)),
        big(ABSENT, big(99), 0, 10, false, big(99)),
        big(ABSENT, big(99), 0, 10, true, big(99)),
        number(ABSENT, 3, 3.0),
        number(ABSENT, 99, SumBounds.within(0.0, 10.0), 99.0),
        // bigint and bigint
        big(big(2), big(-5), big(-3)),
        big(HUGE, HUGE, HUGE.add(HUGE)),
        big(big(8), big(2), 0, 10, false, big(10)),
        big(big(8), big(3), 0, 10, false, range),
        big(big(8), big(-9), 0, 10, false, range),
        big(big(8), big(3), 0, 10, true, big(10)),
        big(big(8), big(-9), 0, 10, true, big(0)),
        big(big(8), big(-9), null, 10, true, big(-1)),
        big(big(8), big(9), 0, null, false, big(17)),
        big(big(8), big(1), 20, 10, true, big(10)), // first min, then max
        // number and number
        number(2, 0.5, 2.5),
        number(2.5, 2.5, 5.0),
        number(8.0, 3, SumBounds.within(0.0, 10.0), range),
        number(8.0, 3, SumBounds.clamped(0.0, 10.0), 10.0),
        number(8.0, -9, SumBounds.clamped(0.0, 10.0), 0.0),
        number(8.0, Double.NaN, SumBounds.within(0.0, 10.0), Double.NaN),
        number(Double.MAX_VALUE, Double.MAX_VALUE, Double.POSITIVE_INFINITY),
        // bigint on a KvU64
        big(five, big(3), KvU64.of(8)),
        big(MAX, big(2), KvU64.of(1)),
        big(five, MAX.value(), KvU64.of(4)),
        big(five, MAX.value().add(BigInteger.ONE), mismatch),
        big(five, big(-1), mismatch),
        big(five, big(1), 0, null, false, mismatch),
        big(five, big(1), null, 10, false, mismatch),
        big(five, big(1), null, null, true, mismatch),
        // incompatible kinds
        number(five, 1, mismatch),
        number(big(5), 1, mismatch),
        big(5, big(1), mismatch),
        big(5.0, big(1), mismatch),
        big("text", big(1), mismatch),
        number("text", 1, mismatch),
        number(true, 1, mismatch),
        number(java.util.Map.of("a", 1), 1, mismatch),
        big(new byte[] {1}, big(1), mismatch));
  }

  /** Tests all rows in one store, as a store for each of them takes long to open. */
  private void each(Consumer<Row> test) {
    for (Row row : rows().toList()) {
      get(kv.delete(K));
      assertAll(row.toString(), () -> test.accept(row));
    }
  }

  @Test
  public void changeStoredNumbersOrFail() {
    each(this::changesAStoredNumberOrFails);
  }

  @Test
  public void changeNumbersSetInTheSameOperation() {
    each(this::changesANumberSetInTheSameOperation);
  }

  private void changesAStoredNumberOrFails(Row row) {
    if (row.stored != ABSENT) {
      set(K, row.stored);
    }
    var change = row.change.apply(kv.atomic()).commit();
    if (row.expected instanceof KvErrorCode code) {
      var before = get(kv.get(K));
      failure(change, code);
      assertThat(get(kv.get(K)).versionstamp()).isEqualTo(before.versionstamp());
    } else {
      var stamp = get(change).versionstamp();
      assertThat(value(K)).isEqualTo(row.expected);
      assertThat(get(kv.get(K)).versionstamp()).isEqualTo(stamp);
    }
  }

  @Test
  public void limitsBigintsOfSumsTo1024Bytes() {
    BigInteger largest = BigInteger.TWO.pow(8192).subtract(BigInteger.ONE);
    BigInteger larger = BigInteger.TWO.pow(8256);
    get(added(largest).commit());
    assertThat(value(K)).isEqualTo(largest);

    failure(added(BigInteger.ONE).commit(), KvErrorCode.LIMIT_EXCEEDED);
    failure(added(larger).commit(), KvErrorCode.LIMIT_EXCEEDED);
    assertThat(value(K)).isEqualTo(largest);
    get(added(BigInteger.ONE.negate()).sum(K, BigInteger.ONE, SumBounds.none()).commit());
    assertThat(value(K)).isEqualTo(largest);

    set(K, larger);
    failure(added(BigInteger.ONE).commit(), KvErrorCode.LIMIT_EXCEEDED);
    assertThat(value(K)).isEqualTo(larger);
  }

  private AtomicOperation added(BigInteger operand) {
    return kv.atomic().sum(K, operand, SumBounds.none());
  }

  private void changesANumberSetInTheSameOperation(Row row) {
    AtomicOperation operation = kv.atomic();
    if (row.stored != ABSENT) {
      operation.set(K, row.stored);
    }
    var change = row.change.apply(operation).commit();
    if (row.expected instanceof KvErrorCode code) {
      failure(change, code);
      assertThat(exists(K)).isFalse();
    } else {
      get(change);
      assertThat(value(K)).isEqualTo(row.expected);
    }
  }
}
