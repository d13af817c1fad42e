package io.kvreactive.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvU64;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.RangeCheck;
import io.kvreactive.spi.ReadRange;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Commits with much work are rejected or bounded, so that commits of other callers are executed.
 */
@Timeout(120)
class HeavyCommitTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  /** Heavy commits beside those of another caller. Unbounded work took 21 s and more. */
  private static final Duration SOON = Duration.ofSeconds(10);

  private static final ValueMapper VALUES = new ValueMapper();
  private static final KvValue ONE = VALUES.encode(BigInteger.ONE);
  private static final KvValue U64 = VALUES.encode(KvU64.of(1));
  private static final byte[] NUMBER = key(0);
  private static final byte[] OTHER = KvKey.of("other").bytes();

  @TempDir Path directory;
  private ExecutorService storeThread;
  private EmbeddedEngine engine;

  @BeforeEach
  void open() {
    storeThread = Executors.newSingleThreadExecutor();
    engine = EmbeddedEngine.open(KvOptions.at(directory), storeThread);
  }

  @AfterEach
  void close() {
    engine.close().block(TIMEOUT);
    storeThread.shutdown();
  }

  private static byte[] key(int n) {
    return KvKey.of("p", n).bytes();
  }

  private static Mutation range(int from, int to) {
    return new Mutation.DeleteRange(key(from), key(to));
  }

  private static Commit of(int mutations, IntFunction<Mutation> mutation) {
    return new Commit(List.of(), IntStream.range(0, mutations).mapToObj(mutation).toList());
  }

  private CommitResult commit(Commit commit) {
    return engine.commit(commit).block(TIMEOUT);
  }

  private void fill(int from, int to) {
    commit(of(to - from, i -> new Mutation.Set(key(from + i), U64)));
  }

  /** Commits, and concurrently sets another key. */
  private CommitResult besideOthers(Commit heavy) {
    CompletableFuture<CommitResult> done = engine.commit(heavy).toFuture();
    assertThat(engine.commit(Commit.of(new Mutation.Set(OTHER, U64))).block(SOON).committed())
        .isTrue();
    try {
      return done.join();
    } catch (java.util.concurrent.CompletionException e) {
      throw (KvException) e.getCause();
    }
  }

  private void refused(Commit heavy, String message) {
    assertThatThrownBy(() -> besideOthers(heavy))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.LIMIT_EXCEEDED))
        .hasMessageContaining(message);
  }

  private List<KvValue> values(byte[] start, byte[] end) {
    return engine
        .read(List.of(new ReadRange(start, end, 10_000, false, false)), null)
        .block(SOON)
        .pages()
        .get(0)
        .entries()
        .stream()
        .map(entry -> entry.value())
        .toList();
  }

  private KvValue number() {
    return values(NUMBER, key(1)).get(0);
  }

  @Test
  void rejectsSumsOnALargeStoredBigint() {
    KvValue large = VALUES.encode(BigInteger.ONE.shiftLeft(8 * (4 << 20)));
    commit(Commit.of(new Mutation.Set(NUMBER, large)));
    Mutation sum = new Mutation.Sum(NUMBER, ONE, null, null, false);
    refused(of(1000, i -> sum), "stored bigint of 4194319 bytes (expected: at most 1040)");
    refused(of(20_000, i -> sum), "stored bigint");
    assertThat(number()).isEqualTo(large);
  }

  @Test
  void rejectsLargeOperandsBoundsAndResultsOfSums() {
    KvValue largest = VALUES.encode(BigInteger.ONE.shiftLeft(8192).subtract(BigInteger.ONE));
    KvValue larger = VALUES.encode(BigInteger.ONE.shiftLeft(8 * 1100));
    commit(Commit.of(new Mutation.Sum(NUMBER, largest, null, null, false)));
    assertThat(number()).isEqualTo(largest);
    refused(
        Commit.of(new Mutation.Sum(NUMBER, ONE, null, null, false)),
        "sum of 1025 bytes (expected: at most 1024)");
    refused(Commit.of(new Mutation.Sum(NUMBER, larger, null, null, false)), "operand of a sum");
    refused(Commit.of(new Mutation.Sum(NUMBER, ONE, null, larger.bytes(), true)), "bound of a sum");
    assertThat(number()).isEqualTo(largest);
  }

  @Test
  void doesNotDecodeALargeValueOfAnotherKindForASum() {
    KvValue array = VALUES.encode(Collections.nCopies(2 << 20, 1));
    commit(Commit.of(new Mutation.Set(NUMBER, array)));
    for (int i = 0; i < 20; i++) {
      assertThatThrownBy(
              () -> besideOthers(Commit.of(new Mutation.Sum(NUMBER, ONE, null, null, false))))
          .hasMessageContaining("TYPE_MISMATCH: unsupported value type");
    }
  }

  @Test
  void limitsRangeDeletions() {
    fill(0, 300);
    refused(
        of(
            90_000,
            i -> i % 2 == 0 ? range(0, 300) : new Mutation.Sum(NUMBER, U64, null, null, false)),
        "deletions of ranges: 45000 (expected: at most 1000)");
    refused(of(1001, i -> range(0, 300)), "deletions of ranges: 1001");
    assertThat(values(key(0), key(1000))).hasSize(300);
  }

  @Test
  void limitsTheEstimatedWork() {
    commit(Commit.of(new Mutation.Set(NUMBER, ONE)));
    Mutation sum = new Mutation.Sum(NUMBER, ONE, null, null, false);
    refused(of(50_001, i -> sum), "estimated work of a commit: 500010 (expected: at most 500000)");
    besideOthers(of(50_000, i -> sum));
    assertThat(number()).isEqualTo(VALUES.encode(BigInteger.valueOf(50_001)));
  }

  @Test
  void keepsReadersFastUnderTheMaximumOfRangeDeletions() {
    for (int round = 0; round < 5; round++) {
      for (int from = 0; from < 100_000; from += 50_000) {
        fill(from, from + 50_000);
      }
      // some overlap, some are equal, and sums in between keep them apart
      besideOthers(
          of(
              1999,
              i ->
                  i % 2 == 0
                      ? range(i / 2 * 97, i / 2 * 97 + 300)
                      : new Mutation.Sum(key(i / 2 * 97 + 5), U64, null, null, false)));
      besideOthers(of(1000, i -> range(0, 1000 + i)));
    }
    assertThat(values(key(0), key(97_000 / 2))).isNotEmpty();
    assertThat(engine.count(key(0), key(100_000)).block(SOON)).isPositive();
  }

  @Test
  void limitsTheStoredValuesThatACommitModifies() {
    KvValue value = new KvValue(KvValue.Encoding.BYTES, new byte[8 << 20]);
    for (int i = 0; i < 9; i++) {
      commit(Commit.of(new Mutation.Set(key(i), value)));
    }
    long later = engine.now() + Duration.ofDays(1).toMillis();
    refused(
        of(9, i -> new Mutation.Touch(key(i), later)),
        "stored values that a commit touches or replaces: 75497472 bytes (expected: at most 67108864)");
    assertThat(besideOthers(of(8, i -> new Mutation.Touch(key(i), later))).committed()).isTrue();
  }

  @Test
  void limitsReplacedValuesWhereOldValuesAreKept() {
    close();
    storeThread = Executors.newSingleThreadExecutor();
    engine = EmbeddedEngine.open(KvOptions.inMemory().withOldValues(true), storeThread);
    KvValue value = new KvValue(KvValue.Encoding.BYTES, new byte[8 << 20]);
    for (int i = 0; i < 9; i++) {
      commit(Commit.of(new Mutation.Set(key(i), value)));
    }
    refused(
        of(9, i -> new Mutation.Set(key(i), U64)),
        "stored values that a commit touches or replaces: 75497472 bytes (expected: at most 67108864)");
    assertThat(besideOthers(of(8, i -> new Mutation.Set(key(i), U64))).committed()).isTrue();
  }

  @Test
  void checksManyRangesIndependentlyOfRecentCommits() {
    Versionstamp since = commit(Commit.of(new Mutation.Set(OTHER, U64))).versionstamp();
    fill(0, 40_000);
    List<RangeCheck> checks = new ArrayList<>();
    for (int i = 0; i < 50_000; i++) {
      checks.add(new RangeCheck(KvKey.of("q", i).bytes(), KvKey.of("q", i + 5).bytes(), since, 0));
    }
    checks.add(new RangeCheck(key(5), key(6), since, 0));
    Commit heavy =
        new Commit(
            List.of(new Check(key(100_000), null)),
            checks,
            List.of(new Mutation.Delete(OTHER)),
            List.of(),
            null);
    assertThat(besideOthers(heavy).failedChecks()).containsExactly(50_001);
  }
}
