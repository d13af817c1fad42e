package io.kvreactive;

import io.kvreactive.internal.api.Stores;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.KvEngineOptions;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * An ordered key-value store.
 *
 * <p><b>Cold publishers.</b> A method call does nothing; each subscription is one execution. So
 * {@code retry} runs a commit again.
 *
 * <p><b>Threads.</b> Signals are emitted on the Vert.x context that was current at subscribe,
 * otherwise on one thread named {@code kv-callback-…}; never on the store thread, which commits.
 * {@code block()} fails with an IllegalStateException on event loops and on that thread. Handles
 * are thread-safe. {@link VertxBridge} converts to and from the futures and streams of Vert.x.
 *
 * <p><b>Consistency.</b> Commits are strictly serialisable. A get, getMany, page or count sees one
 * version, a list by default one for each page ({@link ListOptions#consistency}). Every read sees
 * all commits that were answered before it was subscribed to.
 *
 * <p><b>Durability.</b> With the default, {@link Durability#SYNC}, a commit is durable before it is
 * answered or readable. With {@link Durability#RELAXED}, a commit may be lost in a power failure
 * until the next sync.
 *
 * <p><b>Cancellation.</b> A cancelled read emits nothing. A commit that is cancelled while it waits
 * is not executed; a commit that is already being executed takes effect.
 *
 * <p><b>Errors</b> are {@link KvException}s with a stable {@link KvErrorCode}. Every method may
 * emit CLOSED, LIMIT_EXCEEDED, IO_FAILED and INTERNAL. Every method that writes may also emit
 * OVERLOADED and DISK_FULL, after which nothing was applied, INVALID_VALUE, and INVALID_KEY for the
 * empty key. Every method that reads values may also emit UNREADABLE_VALUE. Values may be read as
 * {@code Object} (the natural Java type), {@code KvValue} (undecoded), the types of {@code
 * io.kvreactive.value}, strings, numbers, collections, records and beans.
 */
public interface Kv {
  /**
   * Opens a store: deploys its verticle on a dedicated worker pool. Emits the handle when the log
   * has been replayed. Closing the handle, or the Vert.x instance, undeploys the verticle.
   *
   * <p>Errors: LOCKED if another process or handle has the directory open; CORRUPT if a file is
   * damaged (the message says which and where); NAME_TAKEN, DISK_FULL, IO_FAILED.
   */
  static Mono<Kv> open(Vertx vertx, KvOptions options) {
    return Stores.open(vertx, options);
  }

  /**
   * Opens a store on an engine of another module, such as {@code PostgresOptions} of {@code
   * kv-postgres}. Emits the handle when the engine is ready. Closing the handle closes the engine.
   *
   * <p>Errors: those of the engine.
   */
  static Mono<Kv> open(Vertx vertx, KvEngineOptions options) {
    return Stores.open(vertx, options);
  }

  /** Opens a store without files; see {@link KvOptions#inMemory}. */
  static Mono<Kv> inMemory(Vertx vertx) {
    return open(vertx, KvOptions.inMemory().withName("memory-" + java.util.UUID.randomUUID()));
  }

  /**
   * Returns a handle of a store that is deployed on this Vert.x instance, by {@link #open} or
   * directly as {@link KvVerticle}. Closing this handle leaves the store running. Error:
   * NO_SUCH_STORE.
   */
  static Mono<Kv> named(Vertx vertx, String name) {
    return Stores.named(vertx, name);
  }

  /**
   * Connects to a store on another machine by the KV Connect protocol: a server of this project,
   * denokv, or hosted Deno KV. Emits the handle when the server has answered. Operations that the
   * protocol lacks fail with UNSUPPORTED; the package {@code io.kvreactive.connect} lists them.
   * That package (artifact {@code kv-connect}) must be on the class path. Other {@linkplain
   * io.kvreactive.spi.KvConnector connectors} on the class path connect to URLs of other schemes.
   *
   * <p>Errors: UNSUPPORTED without that artifact; INVALID_ARGUMENT for the URL; UNAUTHENTICATED;
   * UNAVAILABLE if no server answers.
   *
   * @param url the URL of the database: {@code http://host:port}, {@code https://host/path}
   * @param token the access token
   */
  static Mono<Kv> connect(Vertx vertx, String url, String token) {
    return Stores.connect(vertx, url, token);
  }

  /**
   * Returns a handle on a custom engine. Closing the handle closes the engine.
   *
   * @param name the name in {@code kv-callback-NAME}, the thread of subscribers without a context
   */
  static Kv over(KvEngine engine, String name) {
    return Stores.over(engine, name);
  }

  /**
   * Returns a handle on the same store whose operations pass through another engine. That engine
   * may, for example, measure or trace calls and forward them to this handle's engine. Values are
   * converted and signals are emitted as by this handle. Closing the returned handle closes
   * nothing.
   *
   * @param around the factory of the other engine from the engine of this handle
   */
  Kv withEngine(UnaryOperator<KvEngine> around);

  /** Emits the entry of a key, present or not. */
  <T> Mono<KvEntry<T>> get(KvKey key, KvType<T> type);

  /** Like {@link #get(KvKey, KvType)}, for a type without arguments. */
  default <T> Mono<KvEntry<T>> get(KvKey key, Class<T> type) {
    return get(key, KvType.of(type));
  }

  /** Like {@link #get(KvKey, KvType)}, with the natural Java type of the value. */
  default Mono<KvEntry<Object>> get(KvKey key) {
    return get(key, Object.class);
  }

  /**
   * Emits one entry for each key, in the order of the keys, absent ones included, all read at one
   * version. The number of keys is unlimited; they are read in pages as the subscriber requests
   * them. Error: SNAPSHOT_TOO_OLD if a slow subscriber of many pages would make the store keep too
   * much history.
   */
  <T> Flux<KvEntry<T>> getMany(List<KvKey> keys, KvType<T> type);

  /** Like {@link #getMany(List, KvType)}, for a type without arguments. */
  default <T> Flux<KvEntry<T>> getMany(List<KvKey> keys, Class<T> type) {
    return getMany(keys, KvType.of(type));
  }

  /** Like {@link #getMany(List, KvType)}, with the natural Java type of the values. */
  default Flux<KvEntry<Object>> getMany(List<KvKey> keys) {
    return getMany(keys, Object.class);
  }

  /**
   * Sets a key and emits the commit's versionstamp. The value must have a structured-clone form, or
   * be of a type that Jackson can write: a record, a bean, a collection, null.
   */
  Mono<Versionstamp> set(KvKey key, @Nullable Object value);

  /**
   * Sets a key that expires. From its expiry on, by the store's clock, the key is absent for all
   * readers. The duration counts from the subscription to the commit. A later set without a time
   * removes the expiry; so do sum, min and max. Error: INVALID_ARGUMENT for a negative duration.
   */
  Mono<Versionstamp> set(KvKey key, @Nullable Object value, Duration expireIn);

  /**
   * Like {@link #set(KvKey, Object, Duration)}, with the time of expiry, which may be in the past.
   */
  Mono<Versionstamp> set(KvKey key, @Nullable Object value, Instant expireAt);

  /**
   * Changes the expiry of a key without reading or writing its value. Emits the commit's
   * versionstamp, which becomes the key's; empty if the key is absent.
   */
  Mono<Versionstamp> touch(KvKey key, Duration expireIn);

  /** Like {@link #touch(KvKey, Duration)}, with the time of expiry; null removes the expiry. */
  Mono<Versionstamp> touch(KvKey key, @Nullable Instant expireAt);

  /** Deletes a key and emits the commit's versionstamp, also if the key was absent. */
  Mono<Versionstamp> delete(KvKey key);

  /**
   * Deletes all keys of a range in one commit, without a limit on their number. Emits the commit's
   * versionstamp.
   */
  Mono<Versionstamp> deleteRange(KvRange range);

  /**
   * Emits the entries of a range in key order, then completes. Pages are read on demand and hold at
   * most the requested number of entries (or 64). By default each page is read at the version that
   * is then the newest; see {@link ListOptions#consistency}. Errors: INVALID_CURSOR;
   * SNAPSHOT_TOO_OLD for a list at one snapshot.
   *
   * <p><b>Discard.</b> At most one page is read ahead. On cancellation its entries are dropped
   * without a call of the {@code doOnDiscard} hook; they hold no resources. A snapshot is released.
   */
  <T> Flux<KvEntry<T>> list(KvRange range, ListOptions options, KvType<T> type);

  /** Like {@link #list(KvRange, ListOptions, KvType)}, for a type without arguments. */
  default <T> Flux<KvEntry<T>> list(KvRange range, ListOptions options, Class<T> type) {
    return list(range, options, KvType.of(type));
  }

  /** Lists everything in a range, ascending. */
  default <T> Flux<KvEntry<T>> list(KvRange range, Class<T> type) {
    return list(range, ListOptions.DEFAULT, type);
  }

  /** Lists with the natural Java type of the values. */
  default Flux<KvEntry<Object>> list(KvRange range, ListOptions options) {
    return list(range, options, Object.class);
  }

  /** Lists everything in a range, ascending, with the natural Java type of the values. */
  default Flux<KvEntry<Object>> list(KvRange range) {
    return list(range, ListOptions.DEFAULT, Object.class);
  }

  /**
   * Emits one page of a list, read at one version: at most {@code batchSize} entries and at most
   * {@code limit}; fewer if values are large (a page ends after 4 MiB). For callers that keep a
   * cursor between requests: the page's cursor is the position of the next page. Errors as for
   * {@link #list}.
   */
  <T> Mono<KvPage<T>> page(KvRange range, ListOptions options, KvType<T> type);

  /** Like {@link #page(KvRange, ListOptions, KvType)}, for a type without arguments. */
  default <T> Mono<KvPage<T>> page(KvRange range, ListOptions options, Class<T> type) {
    return page(range, options, KvType.of(type));
  }

  /**
   * Counts the keys of a range at one version. Takes time in proportion to the number of keys. Can
   * be cancelled. Error: SNAPSHOT_TOO_OLD if concurrent commits exceed the history that the store
   * keeps.
   */
  Mono<Long> count(KvRange range);

  /**
   * Returns an empty atomic operation: checks and changes that take effect together or not at all.
   */
  AtomicOperation atomic();

  /**
   * Runs a body on a transaction and commits its writes: all or nothing, and only if nothing that
   * it read has changed since, including keys added to or removed from a range. So transactions are
   * serialisable. On a conflict the body is run again after a pause, with a new transaction on a
   * new snapshot. Side effects of the body outside of the transaction must therefore be repeatable.
   *
   * <p>Emits the element of the body when the commit is answered; an empty body commits and
   * completes empty. A body that writes nothing has read one version of the store, and nothing is
   * committed. An error of the body is emitted unchanged, and nothing is committed. This includes a
   * CONFLICT of another transaction in the body. The body is called on the subscriber's context and
   * must not block. Cancellation before the commit is executed leaves nothing behind.
   *
   * <p>Errors beside those of reads and writes: CONFLICT if all attempts failed, or if a body took
   * so long that its snapshot could not be kept; LIMIT_EXCEEDED also if a transaction that writes
   * has read more keys and ranges than {@link KvLimits#maxChecks}; TYPE_MISMATCH, OUT_OF_RANGE.
   */
  <T> Mono<T> transact(
      Function<? super KvTransaction, ? extends Mono<T>> body, TransactionOptions options);

  /** Like {@link #transact(Function, TransactionOptions)}, with default options. */
  default <T> Mono<T> transact(Function<? super KvTransaction, ? extends Mono<T>> body) {
    return transact(body, TransactionOptions.DEFAULT);
  }

  /**
   * Replaces the value of a key by the result of a function of its entry, present or absent: a
   * transaction on one key. As in {@code Map.compute}, null deletes the key, or leaves it absent.
   * The key keeps its expiry. Emits the resulting entry, whose snapshot is the commit, if there was
   * one. The function is called on the subscriber's context, again after a conflict, and must not
   * block. Exceptions of the function are emitted unchanged.
   *
   * <p>Errors beside those of reads and writes: CONFLICT if all attempts failed.
   */
  <T> Mono<KvEntry<T>> update(
      KvKey key,
      KvType<T> type,
      Function<? super KvEntry<T>, ? extends @Nullable T> function,
      TransactionOptions options);

  /** Like {@link #update(KvKey, KvType, Function, TransactionOptions)}, with default options. */
  default <T> Mono<KvEntry<T>> update(
      KvKey key, KvType<T> type, Function<? super KvEntry<T>, ? extends @Nullable T> function) {
    return update(key, type, function, TransactionOptions.DEFAULT);
  }

  /** Like {@link #update(KvKey, KvType, Function)}, for a type without arguments. */
  default <T> Mono<KvEntry<T>> update(
      KvKey key, Class<T> type, Function<? super KvEntry<T>, ? extends @Nullable T> function) {
    return update(key, KvType.of(type), function);
  }

  /**
   * Returns an empty operation of more checks and changes than fit one commit. It is split into as
   * many commits as necessary.
   */
  BatchedAtomicOperation batchedAtomic();

  /**
   * Stores records, sorted or not, as a sequence of commits. Of several records of one key, the
   * last one wins. Emits the progress after each commit, when all records up to it are committed,
   * and completes when all records are committed. Records are requested as commits finish, at most
   * as many ahead as the options allow. A subscriber without demand for progress pauses the load.
   * Records are encoded on the thread on which they arrive. A commit is made when it is full or the
   * records end, not after a time. So if the source pauses, up to one batch is not committed yet.
   *
   * <p>Each commit is atomic, the load is not. If the source fails, or a record cannot be encoded,
   * the records before it are stored first, and then the error is emitted. If a commit fails, all
   * commits before it are stored, as the last progress says, and some after it may be too; the
   * number of stored entries is in the {@link KvException}. The same records may safely be loaded
   * again. A commit that fails with OVERLOADED is sent again after a pause. Cancellation stops the
   * load; commits that are being executed may still take effect.
   */
  Flux<LoadProgress> load(Publisher<? extends KvRecord> records, LoadOptions options);

  /** Like {@link #load(Publisher, LoadOptions)}, with default options. */
  default Flux<LoadProgress> load(Publisher<? extends KvRecord> records) {
    return load(records, LoadOptions.DEFAULT);
  }

  /**
   * Emits the state of the keys, one entry per key in order, all read at one version: at once, and
   * again after one of them has changed. This is a state watch, not a change feed: a slow
   * subscriber gets the newest state and skips intermediate states; nothing is queued, so
   * cancellation discards nothing. Completes when the store is closed.
   */
  <T> Flux<List<KvEntry<T>>> watch(List<KvKey> keys, KvType<T> type);

  /** Like {@link #watch(List, KvType)}, for a type without arguments. */
  default <T> Flux<List<KvEntry<T>>> watch(List<KvKey> keys, Class<T> type) {
    return watch(keys, KvType.of(type));
  }

  /** Like {@link #watch(List, KvType)}, with the natural Java type of the values. */
  default Flux<List<KvEntry<Object>>> watch(List<KvKey> keys) {
    return watch(keys, Object.class);
  }

  /** Like {@link #watch(List, KvType)}, for one key. */
  default <T> Flux<KvEntry<T>> watch(KvKey key, Class<T> type) {
    return watch(List.of(key), type).map(entries -> entries.get(0));
  }

  /** Like {@link #watch(List, KvType)}, for one key, with the natural Java type of its value. */
  default Flux<KvEntry<Object>> watch(KvKey key) {
    return watch(key, Object.class);
  }

  /**
   * Emits every commit that changes a range, in commit order, one element per commit, without end:
   * a change feed, not a state watch. Changes outside of the range are omitted.
   *
   * <p><b>Resuming.</b> Every element has a versionstamp. A feed that starts with it as {@code
   * since}, also after a crash or a restart, misses nothing and repeats nothing. Only durable
   * commits are emitted. {@link KvOptions#withLogRetention} determines how far back a feed can
   * start. A feed that falls behind the retention, or starts before it, fails with COMPACTED;
   * {@link KvException#oldest} is the oldest versionstamp from which a feed can start.
   *
   * <p><b>Bookmarks</b> are elements without changes: everything up to their versionstamp has been
   * emitted. One is emitted as soon as the feed has caught up with the commits before its
   * subscription, unless the last element or {@code since} has that versionstamp already; then one
   * whenever nothing was emitted for {@link ChangesOptions#bookmarkInterval} although there were
   * commits.
   *
   * <p><b>Demand.</b> Nothing is read without demand, and nothing is queued: a feed without demand
   * costs nothing. At most 128 commits are read ahead of their delivery; for large commits, about 1
   * MiB and one commit.
   *
   * <p><b>Discard.</b> Cancellation stops reading. Commits that were read ahead are passed to the
   * {@code doOnDiscard} hook. They hold no resources: a feed that resumes with the last delivered
   * versionstamp gets them again.
   *
   * <p>Completes when the store, or the handle, is closed. Errors: COMPACTED; UNREADABLE_VALUE if a
   * value does not fit the type; CORRUPT; INVALID_ARGUMENT if {@code since} is after the newest
   * commit, or if old values are requested and not kept.
   *
   * @param since the versionstamp after which commits are emitted, {@link Versionstamp#ZERO} for
   *     all commits, or null for those after the subscription
   */
  <T> Flux<KvCommit<T>> changes(
      KvRange range, @Nullable Versionstamp since, ChangesOptions options, KvType<T> type);

  /**
   * Like {@link #changes(KvRange, Versionstamp, ChangesOptions, KvType)}, for a type without
   * arguments.
   */
  default <T> Flux<KvCommit<T>> changes(
      KvRange range, @Nullable Versionstamp since, ChangesOptions options, Class<T> type) {
    return changes(range, since, options, KvType.of(type));
  }

  /** Follows the changes of a range with default options. */
  default <T> Flux<KvCommit<T>> changes(
      KvRange range, @Nullable Versionstamp since, Class<T> type) {
    return changes(range, since, ChangesOptions.DEFAULT, type);
  }

  /** Follows the changes of a range with the natural Java types of the values. */
  default Flux<KvCommit<Object>> changes(KvRange range, @Nullable Versionstamp since) {
    return changes(range, since, Object.class);
  }

  /**
   * Follows the changes of a range after the subscription, with the natural Java types of the
   * values.
   */
  default Flux<KvCommit<Object>> changes(KvRange range) {
    return changes(range, null, Object.class);
  }

  /**
   * Emits the entries of a range in key order, then {@link KvUpdate.Synced}, then every commit that
   * changes the range: a list and a change feed without a gap or a repetition between them. Apply
   * all elements to a map: it equals the range at the versionstamp of Synced, and after each commit
   * the range at that commit's versionstamp. Expired keys leave the map when they are removed from
   * the store, some time after their expiry.
   *
   * <p>Pages are read on demand, each at the newest version, so no snapshot is held for however
   * long the list takes. The changes since the first page must still be kept when the last one has
   * been read (COMPACTED). Otherwise as {@link #changes}.
   */
  <T> Flux<KvUpdate<T>> listAndWatch(KvRange range, ChangesOptions options, KvType<T> type);

  /** Like {@link #listAndWatch(KvRange, ChangesOptions, KvType)}, with default options. */
  default <T> Flux<KvUpdate<T>> listAndWatch(KvRange range, Class<T> type) {
    return listAndWatch(range, ChangesOptions.DEFAULT, KvType.of(type));
  }

  /** Lists and follows a range with the natural Java types of the values. */
  default Flux<KvUpdate<Object>> listAndWatch(KvRange range) {
    return listAndWatch(range, Object.class);
  }

  /**
   * Returns the id of the store's history: the sequence of commits to which its versionstamps,
   * cursors and changes belong. Two stores with the same id have the same commits under the same
   * versionstamps. The id is stable across restarts and crashes. A {@linkplain KvStores#restore
   * restored} store has a new id; so has a store whose damaged log was cut off by an operator, and
   * a store in memory each time. Null if the engine does not know the id.
   */
  @Nullable UUID historyId();

  /** Returns the queues of the store. */
  KvQueues queues();

  /** Returns what operators need: statistics, verification, compaction, backups, lines of JSON. */
  KvAdmin admin();

  /** Returns the limits that the store enforces. */
  KvLimits limits();

  /**
   * Returns the underlying engine: the store as byte strings, for code that serves it to others.
   * The engine must not be closed. Its signals may come on any thread.
   */
  KvEngine engine();

  /**
   * Closes the handle. A handle of {@link #open} also closes the store: completes watches, feeds
   * and queues, answers waiting commits, syncs the log, releases all files and threads, and then
   * completes. Idempotent.
   */
  Mono<Void> close();
}
