package io.kvreactive.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvLimits;
import io.kvreactive.KvOptions;
import io.kvreactive.KvU64;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.RangeCheck;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The estimated work of commits, and the limit of the work that waits for the store thread. */
class CommitWorkTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int LIMIT = 2000;
  private static final int LIGHT = 1000;

  private static final ValueMapper VALUES = new ValueMapper();
  private static final KvValue U64 = VALUES.encode(KvU64.of(1));
  private static final KvValue BIGINT = VALUES.encode(BigInteger.ONE);
  private static final KvValue NUMBER = VALUES.encode(1.5);
  private static final byte[] KEY = KvKey.of("k").bytes();
  private static final byte[] END = KvKey.of("l").bytes();

  private ExecutorService storeThread;
  private EmbeddedEngine engine;

  @BeforeEach
  void open() {
    storeThread = Executors.newSingleThreadExecutor();
    KvLimits limits = KvLimits.DEFAULT.withMaxCommitWork(LIMIT);
    engine = EmbeddedEngine.open(KvOptions.inMemory().withLimits(limits), storeThread);
  }

  @AfterEach
  void close() {
    engine.close().block(TIMEOUT);
    storeThread.shutdown();
  }

  private static KvValue bytes(int length) {
    return new KvValue(KvValue.Encoding.BYTES, new byte[length]);
  }

  private static Commit of(int mutations, Mutation mutation) {
    return new Commit(List.of(), Collections.nCopies(mutations, mutation));
  }

  private static Arguments mutation(long work, Mutation mutation) {
    return Arguments.of(work, Commit.of(mutation));
  }

  private static Mutation sum(KvValue operand) {
    return new Mutation.Sum(KEY, operand, null, null, false);
  }

  private static Commit with(Enqueue message) {
    return new Commit(List.of(), List.of(), List.of(), List.of(message), null);
  }

  private static Commit message(KvValue payload) {
    return with(new Enqueue("q", payload, 0, List.of(), List.of()));
  }

  /** The weights of docs/security.md. */
  static Stream<Arguments> weights() {
    List<RangeCheck> ranges = List.of(new RangeCheck(KEY, END, Versionstamp.of(1), 0));
    return Stream.of(
        mutation(1, new Mutation.Set(KEY, U64)),
        mutation(1, new Mutation.Delete(KEY)),
        Arguments.of(1, new Commit(List.of(new Check(KEY, null)), List.of())),
        mutation(2, new Mutation.Touch(KEY, Long.MAX_VALUE)),
        mutation(2, new Mutation.Min(KEY, U64)),
        mutation(2, new Mutation.Max(KEY, U64)),
        mutation(2, sum(U64)),
        Arguments.of(4, message(U64)),
        Arguments.of(4, new Commit(List.of(), ranges, List.of(), List.of(), null)),
        mutation(10, sum(BIGINT)),
        mutation(10, sum(NUMBER)),
        mutation(100, new Mutation.DeleteRange(KEY, END)),
        mutation(1 + 5, new Mutation.Set(KEY, bytes(5 << 10))),
        Arguments.of(4 + 5, message(bytes(5 << 10))));
  }

  @ParameterizedTest
  @MethodSource("weights")
  void estimatesEachPartOfACommit(long work, Commit commit) {
    assertThat(new LimitChecks(KvLimits.DEFAULT).commit(commit, 0).work()).isEqualTo(work);
  }

  private CompletableFuture<CommitResult> sets(int work) {
    return engine.commit(of(work, new Mutation.Set(KEY, U64))).toFuture();
  }

  @Test
  void rejectsLargeCommitsWhileTwoOfTheLargestAreQueued() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    storeThread.execute(
        () -> {
          try {
            goOn.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });
    CompletableFuture<CommitResult> first = sets(LIMIT);
    CompletableFuture<CommitResult> second = sets(LIMIT - LIGHT - 1);
    CompletableFuture<CommitResult> last = sets(LIGHT + 1); // 2 * LIMIT together
    CompletableFuture<CommitResult> large = sets(LIGHT + 1);
    CompletableFuture<CommitResult> small = sets(LIGHT);
    assertThat(large).isCompletedExceptionally();
    goOn.countDown();

    assertThatThrownBy(large::join)
        .cause()
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.OVERLOADED))
        .hasMessageContaining("4000 units of work wait");
    for (CompletableFuture<CommitResult> taken : List.of(first, second, last, small)) {
      assertThat(taken.get(30, TimeUnit.SECONDS).committed()).isTrue();
    }
    assertThat(sets(LIMIT).join().committed()).isTrue(); // once there is capacity again
  }

  @Test
  void limitsTheBytesOfAMessageTimesItsUndeliveredKeys() {
    KvValue payload = bytes(8 << 20);
    List<byte[]> keys = Collections.nCopies(8, KEY);
    Enqueue largest = new Enqueue("q", payload, 0, List.of(), keys);
    LimitChecks checks = new LimitChecks(KvLimits.DEFAULT);
    assertThat(checks.commit(with(largest), 0).bytes()).isPositive();

    Enqueue larger = new Enqueue("q", payload, 0, List.of(), Collections.nCopies(9, KEY));
    assertThatThrownBy(() -> engine.commit(with(larger)).block(TIMEOUT))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.LIMIT_EXCEEDED))
        .hasMessageContaining(
            "bytes that an undelivered message writes: 75497472 (expected: at most 67108864)");
  }
}
