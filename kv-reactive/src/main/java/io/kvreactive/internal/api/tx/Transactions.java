package io.kvreactive.internal.api.tx;

import io.kvreactive.CommitResult;
import io.kvreactive.KvEntry;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvTransaction;
import io.kvreactive.KvType;
import io.kvreactive.TransactionOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.api.EntryMapper;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Runs transactions: reads, calls the user's function, commits if nothing that was read has
 * changed, and otherwise retries. The user's functions are called on the subscriber's context.
 */
public final class Transactions {
  private final KvEngine engine;
  private final ValueMapper values;
  private final SubscriberContext subscriberContext;

  public Transactions(KvEngine engine, ValueMapper values, SubscriberContext subscriberContext) {
    this.engine = engine;
    this.values = values;
    this.subscriberContext = subscriberContext;
  }

  /** Runs a body until its changes are committed. */
  public <T> Mono<T> transact(
      Function<? super KvTransaction, ? extends Mono<T>> body, TransactionOptions options) {
    return retried(options, caller -> attempt(body, caller));
  }

  private <T> Mono<T> attempt(
      Function<? super KvTransaction, ? extends Mono<T>> body, Scheduler caller) {
    return Mono.defer(
        () -> {
          HeldSnapshot held = new HeldSnapshot();
          return engine
              .snapshot()
              .doOnNext(held::hold)
              .publishOn(caller)
              .flatMap(
                  snapshot ->
                      run(body, new EngineTransaction(engine, values, subscriberContext, snapshot)))
              .doFinally(ignored -> held.close());
        });
  }

  /**
   * Holds the snapshot of an attempt and closes it on cancellation, even if the snapshot arrives
   * later.
   */
  private static final class HeldSnapshot {
    private KvEngine.@Nullable Snapshot snapshot;
    private boolean closed;

    synchronized void hold(KvEngine.Snapshot taken) {
      snapshot = taken;
      if (closed) {
        taken.close();
      }
    }

    synchronized void close() {
      closed = true;
      if (snapshot != null) {
        snapshot.close();
      }
    }
  }

  private <T> Mono<T> run(
      Function<? super KvTransaction, ? extends Mono<T>> body, EngineTransaction transaction) {
    return Mono.<T>defer(() -> body.apply(transaction))
        .onErrorMap(transaction::isOutdated, transaction::conflict)
        .map(Optional::of)
        .defaultIfEmpty(Optional.empty())
        .flatMap(
            value -> {
              transaction.end();
              return commit(transaction.commit()).then(Mono.justOrEmpty(value));
            })
        .doFinally(ignored -> transaction.end());
  }

  private Mono<Versionstamp> commit(@Nullable Commit commit) {
    return commit == null
        ? Mono.empty()
        : engine
            .commit(commit)
            .map(result -> stamp(commit, result))
            .onErrorMap(RetryableConflict::is, RetryableConflict::of);
  }

  private static Versionstamp stamp(Commit commit, CommitResult result) {
    Versionstamp stamp = result.versionstamp();
    if (stamp == null) {
      throw new KvException(KvErrorCode.CONFLICT, changed(commit, result.failedChecks().get(0)));
    }
    return stamp;
  }

  private static String changed(Commit commit, int check) {
    int keys = commit.checks().size();
    return check < keys
        ? "key " + KvKey.fromEncoded(commit.checks().get(check).key()) + " has changed"
        : "a range has changed";
  }

  /** Updates one key. Needs no snapshot, because only that key is read. */
  public <T> Mono<KvEntry<T>> update(
      KvKey key,
      KvType<T> type,
      Function<? super KvEntry<T>, ? extends @Nullable T> function,
      TransactionOptions options) {
    List<ReadRange> point = List.of(ReadRange.point(key.bytes()));
    return retried(
        options,
        caller ->
            Mono.defer(() -> engine.read(point, null))
                .onErrorMap(RetryableConflict::is, RetryableConflict::of)
                .publishOn(caller)
                .flatMap(read -> update(read, key, type, function)));
  }

  private <T> Mono<KvEntry<T>> update(
      ReadResult read,
      KvKey key,
      KvType<T> type,
      Function<? super KvEntry<T>, ? extends @Nullable T> function) {
    KvEntry<T> entry = EntryMapper.at(read, 0, key, values, type);
    T value = function.apply(entry);
    if (value == null && !entry.exists()) {
      return Mono.just(entry);
    }
    List<StoredEntry> found = read.pages().get(0).entries();
    long expireAt = found.isEmpty() ? 0 : found.get(0).expireAt();
    Mutation change =
        value == null
            ? new Mutation.Delete(key.bytes())
            : new Mutation.Set(key.bytes(), values.encode(value), expireAt);
    Check check = new Check(key.bytes(), entry.versionstamp());
    return commit(new Commit(List.of(check), List.of(change)))
        .map(
            stamp ->
                value == null
                    ? new KvEntry<>(key, null, null, null, stamp)
                    : new KvEntry<>(key, value, stamp, entry.expireAt(), stamp));
  }

  /**
   * Repeats an attempt until there is no {@link RetryableConflict}, as often as the options allow.
   *
   * @param attempt the attempt, as a function of the scheduler on which the user's functions are
   *     called
   */
  private <T> Mono<T> retried(TransactionOptions options, Function<Scheduler, Mono<T>> attempt) {
    return Mono.defer(
        () -> {
          Mono<T> once = attempt.apply(subscriberContext.scheduler());
          return once.retryWhen(new Backoff(options));
        });
  }
}
