package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvValue;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.ForwardingKvEngine;
import io.kvreactive.spi.StoreCopy;
import io.kvreactive.spi.StoreCopy.Options;
import io.kvreactive.spi.StoreCopy.Phase;
import io.kvreactive.spi.StoreCopy.Progress;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.publisher.Sinks;

/**
 * Copies from and to this store. The other store is in memory.
 *
 * <p>Mutations that the engine rejects with UNSUPPORTED are omitted.
 */
public abstract class CopyContract extends KvContract {
  private static final int KEYS = 300;
  private static final int WRITES = 400;

  private Kv memory;

  @BeforeEach
  public void openMemory() {
    memory = get(Kv.inMemory(vertx));
  }

  @AfterEach
  public void closeMemory() {
    memory.close().block(TIMEOUT);
  }

  private boolean showsExpiry() {
    return kv.engine().returnsExpiry();
  }

  private List<String> contents(Kv store) {
    return get(
        store
            .list(KvRange.all(), KvValue.class)
            .map(
                entry ->
                    entry.key()
                        + " "
                        + entry.required()
                        + (showsExpiry() ? " " + entry.expireAt() : ""))
            .collectList());
  }

  private static Mono<?> fill(Kv store) {
    return Flux.range(0, KEYS)
        .flatMap(i -> store.set(KvKey.of("k", i), "value " + i), 64)
        .then(store.set(KvKey.of("bytes"), new byte[] {0, -1}))
        .then(store.set(KvKey.of("session"), "s", Duration.ofHours(1)));
  }

  /** Writes to existing and new keys; operations that the store does not support are omitted. */
  private static Mono<Long> write(Kv store, long seed) {
    Random random = new Random(seed);
    return Flux.range(0, WRITES)
        .concatMap(
            i -> {
              KvKey key = KvKey.of("k", random.nextInt(2 * KEYS));
              Mono<?> write =
                  switch (random.nextInt(10)) {
                    case 0, 1 -> store.delete(key);
                    case 2 ->
                        store.deleteRange(KvRange.prefixFrom(KvKey.of("k"), key).after(key, true));
                    case 3 -> store.touch(key, Duration.ofHours(1 + random.nextInt(5)));
                    case 4 -> store.set(key, "temporary", Duration.ofHours(2));
                    case 5 ->
                        store
                            .atomic()
                            .set(key, i)
                            .sum(KvKey.of("total"), 1)
                            .delete(KvKey.of("k", random.nextInt(KEYS)))
                            .commit();
                    default -> store.set(key, "v".repeat(random.nextInt(200)));
                  };
              return write.onErrorResume(
                  KvException.class,
                  e -> e.code() == KvErrorCode.UNSUPPORTED ? Mono.empty() : Mono.error(e));
            })
        .count();
  }

  private Progress copied(Kv from, Kv to, Options options) {
    return get(StoreCopy.run(from.engine(), to.engine(), options).last());
  }

  private void copiesWhileWritten(Kv from, Kv to) {
    get(fill(from));
    Sinks.Empty<Void> written = Sinks.empty();
    Mono<Progress> copy =
        StoreCopy.run(from.engine(), to.engine(), new Options(false, written.asMono())).last();
    Progress last =
        get(Mono.zip(copy, write(from, 7).doFinally(end -> written.tryEmitEmpty()))).getT1();
    assertThat(last.phase()).isEqualTo(Phase.DONE);
    assertThat(last.differences()).isZero();
    assertThat(last.lateCommits()).isZero();
    assertThat(last.isEqual()).isTrue();
    assertThat(contents(to)).isEqualTo(contents(from)).hasSize((int) last.entries());
  }

  @Test
  public void copiesThisStoreWhileItIsWritten() {
    copiesWhileWritten(kv, memory);
  }

  @Test
  public void copiesToThisStoreWhileTheSourceIsWritten() {
    copiesWhileWritten(memory, kv);
  }

  @Test
  public void rejectsATargetWithEntries() {
    set(KvKey.of("mine"), 1);
    failure(
        StoreCopy.run(memory.engine(), kv.engine(), Options.DEFAULT), KvErrorCode.INVALID_ARGUMENT);
    assertThat(contents(kv)).hasSize(1);
  }

  @Test
  public void replacesWhatDiffers() {
    get(fill(memory));
    get(fill(kv));
    get(kv.delete(KvKey.of("k", 3)));
    set(KvKey.of("k", 4), "another");
    set(KvKey.of("z", 1), "only here");
    Progress last = copied(memory, kv, new Options(true, Mono.empty()));
    assertThat(last.isEqual()).isTrue();
    // the expiries were set in sequence
    assertThat(last.written()).isEqualTo(showsExpiry() ? 4 : 3);
    assertThat(contents(kv)).isEqualTo(contents(memory));
  }

  @Test
  public void aCopyThatEndedEarlyIsCompletedByAnother() {
    get(
        Flux.range(0, 3000)
            .flatMap(i -> memory.set(KvKey.of("many", i), "v".repeat(100)), 64)
            .count());
    Progress part =
        get(
            StoreCopy.run(memory.engine(), kv.engine(), Options.DEFAULT)
                .filter(progress -> progress.entries() > 0)
                .next());
    assertThat(part.phase()).isEqualTo(Phase.SCAN);
    Progress last = copied(memory, kv, new Options(true, Mono.empty()));
    assertThat(last.isEqual()).isTrue();
    assertThat(last.entries()).isEqualTo(3000);
    assertThat(contents(kv)).isEqualTo(contents(memory));
  }

  @Test
  public void reportsCommitsAfterTheSwitchOver() {
    get(fill(memory));
    Kv written =
        memory.withEngine(
            engine ->
                new ForwardingKvEngine(engine) {
                  @Override
                  public Mono<Snapshot> snapshot() {
                    return engine()
                        .snapshot()
                        .delayUntil(
                            taken -> memory.set(KvKey.of("late"), taken.versionstamp().toString()));
                  }
                });
    Progress last = copied(written, kv, Options.DEFAULT);
    assertThat(last.isEqual()).isTrue();
    assertThat(last.lateCommits()).isEqualTo(1);
    assertThat(contents(kv)).hasSize(KEYS + 2);
  }

  @Test
  public void aFailedSwitchOverCancelsTheFeed() {
    Sinks.Empty<Void> switchOver = Sinks.empty();
    AtomicReference<SignalType> end = new AtomicReference<>();
    Kv followed =
        memory.withEngine(
            engine ->
                new ForwardingKvEngine(engine) {
                  @Override
                  public Flux<CommittedChanges> changes(ChangesRequest request) {
                    return engine()
                        .changes(request)
                        .doOnRequest(n -> switchOver.tryEmitError(new IOException("no signal")))
                        .doFinally(end::set);
                  }
                });
    assertThatThrownBy(() -> copied(followed, kv, new Options(false, switchOver.asMono())))
        .hasRootCauseMessage("no signal");
    assertThat(end).hasValue(SignalType.CANCEL);
  }
}
