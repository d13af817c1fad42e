package io.kvreactive.documents.internal.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvOptions;
import io.kvreactive.KvValue;
import io.kvreactive.documents.internal.store.CollectionKeys;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.ReadRange;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

@ExtendWith(VertxExtension.class)
class RangeJobTest {
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final long FAR = 1_000_000_000_000L;
  private static final int PAGE = 100;

  private final CollectionKeys keys = new CollectionKeys("kvi", "some", 0, 0);
  private final ReadRange items = new ReadRange(keys.itemsStart(), keys.itemsEnd(), 1, false, true);
  private final List<Integer> commits = Collections.synchronizedList(new ArrayList<>());
  private volatile boolean stopped;
  private Kv kv;

  @BeforeEach
  void open(Vertx vertx) {
    kv = Kv.open(vertx, KvOptions.inMemory().withName("range-job")).block(PATIENCE);
  }

  @AfterEach
  void close() {
    kv.close().block(PATIENCE);
  }

  private void store(LongStream docIds) {
    KvValue nothing = new KvValue(KvValue.Encoding.BYTES, new byte[0]);
    List<Mutation> sets =
        docIds.<Mutation>mapToObj(id -> Mutation.Set.blind(keys.item(id), nothing)).toList();
    kv.engine().commit(new Commit(List.of(), sets)).block(PATIENCE);
  }

  private RangeJob job() {
    AdaptiveThrottle throttle = new AdaptiveThrottle(new LongAdder(), PAGE, PAGE);
    return new RangeJob(kv.engine(), Schedulers.parallel(), throttle, () -> stopped);
  }

  private long left() {
    return kv.engine().count(items.start(), items.end()).block(PATIENCE);
  }

  private Mono<Void> commit(List<Mutation> deletes, int most) {
    commits.add(deletes.size());
    return deletes.size() > most
        ? Mono.error(new KvException(KvErrorCode.LIMIT_EXCEEDED, "too many"))
        : kv.engine().commit(new Commit(List.of(), deletes)).then();
  }

  // ---- all entries of a range

  @Test
  void preparesEveryEntryOnceAndInOrder() {
    store(LongStream.rangeClosed(1, 250));
    List<Long> found = new ArrayList<>();
    List<Integer> lastPages = new ArrayList<>();

    job()
        .run(
            items,
            page -> {
              int some = Math.min(3, page.entries().size());
              page.entries().subList(0, some).forEach(e -> found.add(keys.docIdOfItem(e.key())));
              assertThat(page.isFirst()).isEqualTo(found.size() == some);
              if (page.isLast()) {
                lastPages.add(page.entries().size());
              }
              return new RangeJob.Chunk(some, some, Mono.fromRunnable(() -> commits.add(some)));
            })
        .block(PATIENCE);

    assertThat(found).isEqualTo(LongStream.rangeClosed(1, 250).boxed().toList());
    assertThat(lastPages).first().isEqualTo(50);
    assertThat(commits).hasSize(34 + 34 + 17);
  }

  @Test
  void preparesAnEmptyPageOfAnEmptyRange() {
    job()
        .run(
            items,
            page -> {
              assertThat(page.entries()).isEmpty();
              assertThat(page.isFirst() && page.isLast()).isTrue();
              return new RangeJob.Chunk(0, 0, Mono.fromRunnable(() -> commits.add(0)));
            })
        .block(PATIENCE);
    assertThat(commits).containsExactly(0);
  }

  @Test
  void preparesAChunkWhileTheOneBeforeIsCommitted() {
    store(LongStream.rangeClosed(1, 2 * PAGE));
    Sinks.Empty<Void> second = Sinks.empty();
    job()
        .run(
            items,
            page -> {
              if (page.isFirst()) {
                return new RangeJob.Chunk(PAGE, 1, second.asMono());
              }
              second.tryEmitEmpty(); // or again, at the end of the range
              return new RangeJob.Chunk(page.entries().size(), 1, Mono.empty());
            })
        .block(PATIENCE);
  }

  @Test
  void endsTheCommitInProgressBeforeAFailedPreparation() {
    store(LongStream.rangeClosed(1, 2 * PAGE));
    Mono<Void> slow =
        Mono.delay(Duration.ofMillis(200)).doOnSuccess(end -> commits.add(PAGE)).then();
    Mono<Void> run =
        job()
            .run(
                items,
                page -> {
                  if (!page.isFirst()) {
                    throw new IllegalStateException("second page");
                  }
                  return new RangeJob.Chunk(PAGE, 1, slow);
                });
    assertThatThrownBy(() -> run.block(PATIENCE)).hasMessage("second page");
    assertThat(commits).containsExactly(PAGE);
  }

  // ---- deletions

  @Test
  void deletesAllKeysInHalvesThatFitIntoCommits() {
    store(LongStream.rangeClosed(1, 250));
    List<Boolean> ends = new ArrayList<>();

    job()
        .delete(
            items, (deletes, isLast) -> commit(deletes, 7).doOnSuccess(done -> ends.add(isLast)))
        .block(PATIENCE);

    assertThat(left()).isZero();
    assertThat(commits).startsWith(PAGE, PAGE / 2, PAGE / 4, 12, 6);
    assertThat(ends.indexOf(true)).isEqualTo(ends.size() - 1);
  }

  @Test
  void deletesFewKeysInOneCommit() {
    store(LongStream.rangeClosed(1, 5));
    job().delete(items, (deletes, isLast) -> commit(deletes, isLast ? 5 : 0)).block(PATIENCE);
    assertThat(left()).isZero();
    assertThat(commits).containsExactly(5);
  }

  @Test
  void failsIfOneKeyIsTooLarge() {
    store(LongStream.rangeClosed(1, 4));
    Mono<Void> deleted = job().delete(items, (deletes, isLast) -> commit(deletes, 0));
    assertThatThrownBy(() -> deleted.block(PATIENCE)).hasMessageContaining("too many");
    assertThat(commits).containsExactly(4, 2, 1);
    assertThat(left()).isEqualTo(4);
  }

  @Test
  void stopsAfterTheCommitInProgress() {
    store(LongStream.rangeClosed(1, 250));
    job()
        .delete(
            items, (deletes, isLast) -> commit(deletes, PAGE).doOnSuccess(done -> stopped = true))
        .block(PATIENCE);
    assertThat(commits).containsExactly(PAGE);
    assertThat(left()).isEqualTo(150);
  }

  // ---- counts

  private Long upTo(long last) {
    return job().count(keys::itemsFrom, last).block(PATIENCE);
  }

  /** Counts over gaps of deleted document ids and in more than one part. */
  @Test
  void countsItemsFarApart() {
    store(LongStream.rangeClosed(1, 1000));
    store(LongStream.of(65_536, 65_537, 262_144, 262_145));
    store(LongStream.rangeClosed(FAR, FAR + 999));
    assertThat(upTo(FAR + 999)).isEqualTo(2004);
    assertThat(upTo(FAR)).isEqualTo(1005);
    assertThat(upTo(65_536)).isEqualTo(1001);
    assertThat(upTo(1)).isEqualTo(1);
  }

  @Test
  void countsZeroInAnEmptyCollection() {
    assertThat(upTo(0)).isZero();
    assertThat(upTo(Long.MAX_VALUE - 1)).isZero();
  }

  @Test
  void returnsNullWhenStopped() {
    store(LongStream.rangeClosed(1, 10));
    stopped = true;
    assertThat(upTo(10)).isNull();
  }
}
