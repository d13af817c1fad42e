package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.BatchedAtomicOperation;
import io.kvreactive.CommitResult;
import io.kvreactive.KvEntry;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvLimits;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.KvRecord;
import io.kvreactive.KvU64;
import io.kvreactive.LoadOptions;
import io.kvreactive.LoadProgress;
import io.kvreactive.Versionstamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/**
 * Loads, and operations that are too long for one commit.
 *
 * <p>The engine must use the limits of the options. It applies commits in the order of their
 * subscriptions, or says otherwise by {@code KvEngine.commitsInOrder}.
 */
public abstract class BulkContract extends KvContract {
  private static final KvKey A = KvKey.of("a");
  private static final KvKey B = KvKey.of("b");
  private static final KvRange P = KvRange.prefix("p");
  private static final LoadOptions SMALL = LoadOptions.DEFAULT.withBatchEntries(10);

  @Override
  protected KvOptions configured(KvOptions options) {
    return options
        .withMailbox(3, 1 << 20)
        .withLimits(KvLimits.DEFAULT.withMaxMutations(100).withMaxCommitBytes(50_000));
  }

  private static KvKey p(int i) {
    return KvKey.of("p", i);
  }

  private static Flux<KvRecord> records(int count) {
    return Flux.range(0, count).map(i -> KvRecord.of(p(i), i));
  }

  private List<Object> values() {
    return all(kv.list(P).map(KvEntry::value));
  }

  private static List<Object> numbers(int count) {
    return new ArrayList<>(IntStream.range(0, count).boxed().toList());
  }

  @Test
  public void loadsInAnyOrder() {
    List<Integer> shuffled = new ArrayList<>(IntStream.range(0, 2000).boxed().toList());
    Collections.shuffle(shuffled, new Random(1));
    List<LoadProgress> progress =
        all(kv.load(Flux.fromIterable(shuffled).map(i -> KvRecord.of(p(i), i)), SMALL));
    assertThat(progress).hasSize(200);
    assertThat(progress).extracting(LoadProgress::entries).isSorted();
    assertThat(progress).extracting(LoadProgress::versionstamp).isSorted().doesNotHaveDuplicates();
    LoadProgress last = progress.get(199);
    assertThat(last.entries()).isEqualTo(2000);
    assertThat(last.bytes()).isBetween(2000L * 12, 2000L * 30);
    assertThat(values()).isEqualTo(numbers(2000));
    assertThat(get(kv.get(A)).snapshot()).isEqualTo(last.versionstamp());
  }

  @Test
  public void commitsNothingForAnEmptyLoad() {
    assertThat(all(kv.load(Flux.empty()))).isEmpty();
  }

  @Test
  public void keepsTheLastRecordOfAKey() {
    Flux<KvRecord> records = Flux.range(0, 300).map(i -> KvRecord.of(p(i % 7), i));
    all(kv.load(records, LoadOptions.DEFAULT.withBatchEntries(3).withConcurrency(16)));
    assertThat(values()).containsExactly(294, 295, 296, 297, 298, 299, 293);
  }

  @Test
  public void storesTheExpiryOfRecords() {
    Instant later = Instant.now().plusSeconds(3600);
    all(kv.load(Flux.just(KvRecord.of(A, 1, Instant.EPOCH), KvRecord.of(B, 2, later))));
    assertThat(exists(A)).isFalse();
    assertThat(get(kv.get(B)).expireAt()).isAfter(Instant.now());
  }

  @Test
  public void splitsIntoCommitsWithinTheLimits() {
    Flux<KvRecord> large = Flux.range(0, 20).map(i -> KvRecord.of(p(i), new byte[20_000]));
    assertThat(all(kv.load(large))).hasSize(10);
    assertThat(all(kv.load(records(250)))).hasSize(3);
  }

  @Test
  public void signalsAnErrorOfTheSourceAfterStoringThePrecedingRecords() {
    IllegalStateException mine = new IllegalStateException("mine");
    List<LoadProgress> progress = new ArrayList<>();
    assertThatThrownBy(
            () ->
                kv.load(records(25).concatWith(Flux.error(mine)), SMALL)
                    .doOnNext(progress::add)
                    .blockLast(TIMEOUT))
        .isSameAs(mine);
    assertThat(progress).extracting(LoadProgress::entries).containsExactly(10L, 20L, 25L);
    assertThat(values()).isEqualTo(numbers(25));
  }

  @Test
  public void endsAtAnInvalidRecordAndReportsItsProgress() {
    Flux<KvRecord> records =
        records(20).concatWithValues(KvRecord.of(KvKey.EMPTY, 1)).concatWith(records(5));
    KvException failed = failure(kv.load(records, SMALL), KvErrorCode.INVALID_KEY);
    assertThat(failed.detail()).contains("records stored: 20");
    assertThat(values()).isEqualTo(numbers(20));
    Flux<KvRecord> unreadable = records(25).concatWithValues(KvRecord.of(A, new Broken()));
    failed = failure(kv.load(unreadable, SMALL), KvErrorCode.INVALID_VALUE);
    assertThat(failed.detail()).contains("records stored: 25");
  }

  @Test
  public void requestsRecordsAsCommitsComplete() {
    AtomicLong asked = new AtomicLong();
    Flux<KvRecord> endless =
        Flux.<KvRecord, Integer>generate(
                () -> 0,
                (i, sink) -> {
                  sink.next(KvRecord.of(p(i), i));
                  return i + 1;
                })
            .doOnRequest(asked::addAndGet);
    StepVerifier.create(kv.load(endless, SMALL.withConcurrency(2)), 0)
        .thenRequest(3)
        .expectNextCount(3)
        .thenCancel()
        .verify(TIMEOUT);
    assertThat(asked.get()).isBetween(30L, 1000L);
    assertThat(values().size()).isBetween(30, 100);
  }

  // ---- batchedAtomic

  @Test
  public void splitsALongOperationIntoCommitsInOrder() {
    BatchedAtomicOperation operation = kv.batchedAtomic();
    for (int i = 0; i < 250; i++) {
      operation.set(p(i), i).sum(A, 1);
    }
    List<CommitResult> results = all(operation.commit());
    assertThat(results).hasSize(5).allMatch(CommitResult::committed);
    assertThat(results).extracting(CommitResult::versionstamp).isSorted();
    assertThat(values()).isEqualTo(numbers(250));
    assertThat(value(A)).isEqualTo(KvU64.of(250));
    assertThat(all(kv.batchedAtomic().commit())).isEmpty();
  }

  @Test
  public void checksInTheCommitOfTheCheckAndEndsOnAConflict() {
    Versionstamp stamp = set(A, 1);
    BatchedAtomicOperation operation = kv.batchedAtomic();
    operation.check(A, stamp).checkAbsent(B).checkUnchanged(P, stamp);
    for (int i = 0; i < 100; i++) {
      operation.set(p(i), i);
    }
    operation.checkUnchanged(P, stamp).check(A, stamp).checkAbsent(A).set(p(100), 100);
    for (int i = 0; i < 300; i++) {
      operation.set(B, i);
    }
    List<CommitResult> results = all(operation.commit());
    assertThat(results).hasSize(2);
    assertThat(results.get(0).committed()).isTrue();
    assertThat(results.get(1).failedChecks()).containsExactly(3, 5);
    assertThat(values()).isEqualTo(numbers(100));
    assertThat(exists(B)).isFalse();
  }

  @Test
  public void endsOnAnError() {
    set(B, "text");
    BatchedAtomicOperation operation = kv.batchedAtomic();
    for (int i = 0; i < 100; i++) {
      operation.set(p(i), i);
    }
    operation.sum(B, 1).set(p(100), 100);
    failure(operation.commit(), KvErrorCode.TYPE_MISMATCH);
    assertThat(values()).isEqualTo(numbers(100));
  }
}
