package io.kvreactive;

import io.kvreactive.internal.api.Stores;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.KvEngineOptions;
import io.vertx.core.Vertx;
import java.nio.file.Path;
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
 * <p><b>Cold.</b> Calling a method does nothing; each subscription is one execution. So {@code
 * retry} runs a commit again.
 *
 * <p><b>Threads.</b> Signals are emitted on the Vert.x context that was current at subscribe, else
 * on one thread named {@code kv-callback-…}, on which Reactor refuses to block; never on the thread
 * that owns the store. A handle may be used from any thread.
 *
 * <p><b>Consistency.</b> Commits are strictly serialisable. A read sees one version, and sees every
 * commit that was answered before the read was subscribed to. Nothing is answered or readable
 * before it is durable (see {@link Durability}).
 *
 * <p><b>Cancel.</b> A cancelled read is not emitted. A commit that is cancelled while it waits is
 * not done; one that is already being done is done.
 *
 * <p><b>Errors</b> are {@link KvException}s with a stable {@link KvErrorCode}. Every method may
 * emit CLOSED, LIMIT_EXCEEDED, IO_FAILED and INTERNAL; every method that writes also OVERLOADED and
 * DISK_FULL, after which nothing of it has happened, INVALID_VALUE, and INVALID_KEY for the empty
 * key; every method that reads values also UNREADABLE_VALUE. Values may be read as {@code Object}
 * (the natural Java type), {@code KvValue} (undecoded), the types of {@code io.kvreactive.value},
 * strings, numbers, collections, records and beans.
 */
public interface Kv {
  /**
   * Opens a store: deploys its verticle on a worker pool of its own. Emits the handle when the log
   * has been read back. Closing the handle, or the Vert.x, undeploys it.
   *
   * <p>Errors: LOCKED when another process or handle has the directory open, CORRUPT when a file is
   * damaged (the message says which and where), NAME_TAKEN, DISK_FULL, IO_FAILED.
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
   * Returns a handle of a store that is deployed on this Vert.x, by {@link #open} or by hand as
   * {@link KvVerticle}. Closing this handle leaves the store running. Error: NO_SUCH_STORE.
   */
  static Mono<Kv> named(Vertx vertx, String name) {
    return Stores.named(vertx, name);
  }

  /**
   * Connects to a store on another machine by the KV Connect protocol: a server of this project,
   * denokv, or hosted Deno KV. Emits the handle when the server has answered. What the protocol
   * lacks fails with UNSUPPORTED; what that is, the package {@code io.kvreactive.connect} says,
   * which has to be on the class path (artifact {@code kv-connect}).
   *
   * <p>Errors: UNSUPPORTED without that artifact; INVALID_ARGUMENT for the URL; UNAUTHENTICATED;
   * UNAVAILABLE when no server answers.
   *
   * @param url of the database: {@code http://host:port}, {@code https://host/path}
   * @param token the access token
   */
  static Mono<Kv> connect(Vertx vertx, String url, String token) {
    return Stores.connect(vertx, url, token);
  }

  /**
   * Returns a handle on an engine of your own; closing it closes the engine.
   *
   * @param name of the thread for subscribers without a context, {@code kv-callback-NAME}
   */
  static Kv over(KvEngine engine, String name) {
    return Stores.over(engine, name);
  }

  /**
   * Returns a handle on the same store whose operations pass through another engine, such as one
   * that measures or traces them and forwards them to this handle's engine. Values are converted
   * and signals are emitted as by this handle. Closing the returned handle closes nothing.
   *
   * @param around makes the other engine from the engine of this handle
   */
  Kv withEngine(UnaryOperator<KvEngine> around);

  /**
   * Reads all of a store that is not open, or of a backup, and emits what is wrong with it and
   * where: log frames and image pages against their checksums, the sequence of the commits, every
   * record with its value, the index of expiry, and that the image has what the log says. Changes
   * no file but the directory's {@code lock}; what opening the store would mend is only noted.
   * Takes as long as reading the files, on a thread of its own; signals as every method of a
   * handle. Cancel stops it. Damage is never an error here.
   *
   * <p>Errors: INVALID_ARGUMENT when the directory holds no store, LOCKED, IO_FAILED.
   */
  static Mono<VerifyReport> verify(Path directory) {
    return Stores.verify(directory);
  }

  /**
   * Inspects a store that is not open and makes the repairs that the options ask for: sets its
   * clock, deletes malformed keys, cuts off a damaged log. Without {@link RepairOptions#apply} it
   * changes no file but the directory's {@code lock}, and the report says what would change. Each
   * repair is made as a whole or not at all. Takes as long as reading all keys, on a thread of its
   * own; signals as every method of a handle. Cancel stops it between two repairs.
   *
   * <p>Errors: INVALID_ARGUMENT when the directory holds no store, or for a key that is not
   * malformed or not stored; LOCKED, DISK_FULL, IO_FAILED. Damage is never an error here.
   */
  static Mono<RepairReport> repair(Path directory, RepairOptions options) {
    return Stores.repair(directory, options);
  }

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
   * Emits one entry for each key, in the order of the keys, absent ones included; all read at one
   * version. Any number of keys; they are read in pages as demand asks. Error: SNAPSHOT_TOO_OLD
   * when a slow subscriber of many pages would make the store keep too much history.
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
   * Sets a key and emits the commit's versionstamp. The value may be anything that has a
   * structured-clone form, or that Jackson can write: a record, a bean, a collection, null.
   */
  Mono<Versionstamp> set(KvKey key, @Nullable Object value);

  /**
   * Sets a key that expires. From that time on, by the store's clock, it is absent for everybody;
   * the time counts from when the commit is subscribed to. Setting it again without a time makes it
   * stay; so do sum, min and max. Error: INVALID_ARGUMENT for a negative duration.
   */
  Mono<Versionstamp> set(KvKey key, @Nullable Object value, Duration expireIn);

  /** Like {@link #set(KvKey, Object, Duration)}, at a time; one that has passed is allowed. */
  Mono<Versionstamp> set(KvKey key, @Nullable Object value, Instant expireAt);

  /**
   * Changes when a key expires; its value is neither read nor written. Emits the commit's
   * versionstamp, which is the key's from then on; empty when the key is absent.
   */
  Mono<Versionstamp> touch(KvKey key, Duration expireIn);

  /** Like {@link #touch(KvKey, Duration)}, at a time; null: the key does not expire any more. */
  Mono<Versionstamp> touch(KvKey key, @Nullable Instant expireAt);

  /** Deletes a key and emits the commit's versionstamp, also when the key was absent. */
  Mono<Versionstamp> delete(KvKey key);

  /** Deletes all keys of a range in one commit, however many, and emits its versionstamp. */
  Mono<Versionstamp> deleteRange(KvRange range);

  /**
   * Emits the entries of a range in key order, then completes. Pages are read as demand asks, and
   * are no larger than the demand (or 64). Errors: INVALID_CURSOR, SNAPSHOT_TOO_OLD for a list at
   * one snapshot.
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
   * Emits one page of a list, read at one version: at most {@code batchSize} entries and no more
   * than {@code limit}; fewer also when values are large (a page ends behind 4 MiB). For those who
   * keep a cursor between requests; to go on, pass the page's cursor. Errors as for {@link #list}.
   */
  <T> Mono<KvPage<T>> page(KvRange range, ListOptions options, KvType<T> type);

  /** Like {@link #page(KvRange, ListOptions, KvType)}, for a type without arguments. */
  default <T> Mono<KvPage<T>> page(KvRange range, ListOptions options, Class<T> type) {
    return page(range, options, KvType.of(type));
  }

  /**
   * Counts the keys of a range at one version. Takes time in proportion; can be cancelled. Error:
   * SNAPSHOT_TOO_OLD when so much is written meanwhile that the history cannot be kept.
   */
  Mono<Long> count(KvRange range);

  /** Starts an atomic operation: checks and changes that happen together or not at all. */
  AtomicOperation atomic();

  /**
   * Runs a body on a transaction and commits what it has written: all of it or nothing, and only if
   * nothing that it has read has changed meanwhile, keys that came or went in a range included. So
   * it is as if transactions ran one after the other. On a conflict the body is run again, with a
   * new transaction on a new snapshot, after a pause; it should do nothing outside of the
   * transaction that must not be done twice.
   *
   * <p>Emits what the body emits when the commit is durable; an empty body commits and completes
   * empty. A body that writes nothing has read one version of the store, and nothing is committed.
   * An error of the body is emitted unchanged, and nothing is committed; also a CONFLICT that is
   * not of this transaction, but of another one in its body. The body is called where signals are
   * emitted; it must not block. Cancelling before the commit is under way leaves nothing behind.
   *
   * <p>Errors beside those of reads and writes: CONFLICT when all attempts met one, or a body took
   * so long that its snapshot could not be kept; LIMIT_EXCEEDED also when a transaction that writes
   * has read more keys and ranges than {@link KvLimits#maxChecks}; TYPE_MISMATCH, OUT_OF_RANGE.
   */
  <T> Mono<T> transact(
      Function<? super KvTransaction, ? extends Mono<T>> body, TransactionOptions options);

  /** Like {@link #transact(Function, TransactionOptions)}, with the usual options. */
  default <T> Mono<T> transact(Function<? super KvTransaction, ? extends Mono<T>> body) {
    return transact(body, TransactionOptions.DEFAULT);
  }

  /**
   * Replaces the value of a key by what a function makes of its entry, present or not: a
   * transaction on one key. Like {@code Map.compute}, null deletes the key, or leaves it absent.
   * The key keeps its time of expiry. Emits the entry as it is then; its snapshot is the commit, if
   * there was one. The function is called where signals are emitted, and again after a conflict; it
   * must not block. What it throws is emitted unchanged.
   *
   * <p>Errors beside those of reads and writes: CONFLICT when all attempts met one.
   */
  <T> Mono<KvEntry<T>> update(
      KvKey key,
      KvType<T> type,
      Function<? super KvEntry<T>, ? extends @Nullable T> function,
      TransactionOptions options);

  /** Like the other, with the usual options. */
  default <T> Mono<KvEntry<T>> update(
      KvKey key, KvType<T> type, Function<? super KvEntry<T>, ? extends @Nullable T> function) {
    return update(key, type, function, TransactionOptions.DEFAULT);
  }

  /** Like the other, for a type without arguments. */
  default <T> Mono<KvEntry<T>> update(
      KvKey key, Class<T> type, Function<? super KvEntry<T>, ? extends @Nullable T> function) {
    return update(key, KvType.of(type), function);
  }

  /**
   * Starts an operation of more checks and changes than fit one commit: it is cut into as many as
   * it takes.
   */
  BatchedAtomicOperation batchedAtomic();

  /**
   * Stores records, sorted or not, as a sequence of commits; of several records of one key the last
   * one stays. Emits after each commit how far everything before is durable, and completes when all
   * of it is. Records are asked for as commits are done, a few at a time, and no further ahead than
   * the options say; a subscriber that asks for no more progress stops the load. They are encoded
   * on the thread that they come on. A commit is made when it is full or the records end, not after
   * a time; so a source that pauses leaves up to a batch that is not durable yet.
   *
   * <p>A commit is atomic, the load is not. When the records end with an error, or one cannot be
   * encoded, those before are stored first, and then it is emitted. When a commit fails, those
   * before it are stored, as the last progress says, and some of those behind it may be as well. A
   * {@link KvException} says how many. Loading the same records again is safe. A commit that is
   * refused because the store is OVERLOADED is sent again after a pause. Cancelling stops the load;
   * commits that are under way may still be done.
   */
  Flux<LoadProgress> load(Publisher<? extends KvRecord> records, LoadOptions options);

  /** Like {@link #load(Publisher, LoadOptions)}, with the usual options. */
  default Flux<LoadProgress> load(Publisher<? extends KvRecord> records) {
    return load(records, LoadOptions.DEFAULT);
  }

  /**
   * Emits the entries of a range as lines of JSON, without ends of line, in key order. Every kind
   * of key and value comes back from them without loss; {@code docs/json.md} has the notation. Each
   * line tells when its entry expires, and the commit that wrote it. Lines are made on the thread
   * that they are emitted on. Errors as for {@link #list}; INVALID_ARGUMENT for keys only.
   */
  Flux<String> exportLines(KvRange range, ListOptions options);

  /**
   * Emits all entries of a range as lines of JSON, at one version, so that they fit together.
   * Error: SNAPSHOT_TOO_OLD when so much is written meanwhile that the history cannot be kept;
   * {@link #exportLines(KvRange, ListOptions)} with {@link ListOptions#DEFAULT} reads each page at
   * the newest version and is never too old.
   */
  default Flux<String> exportLines(KvRange range) {
    return exportLines(
        range, ListOptions.DEFAULT.withConsistency(ListOptions.Consistency.SNAPSHOT));
  }

  /**
   * {@linkplain #load Loads} what {@link #exportLines} emits. An import is a sequence of commits of
   * its own: times of expiry are kept, versionstamps are not. What a range holds beside the lines
   * stays. Blank lines are skipped, and so is a byte order mark at the start. Lines are parsed on
   * the thread that they come on.
   *
   * <p>A line that is wrong ends the import: those before it are stored first. The error tells the
   * number of the line, from 1, what is wrong with it, and how many entries are stored:
   * INVALID_ARGUMENT for text that is not such a line, INVALID_KEY, INVALID_VALUE,
   * INVALID_VERSIONSTAMP, LIMIT_EXCEEDED. Other errors as for {@link #load}.
   */
  Flux<LoadProgress> importLines(Publisher<String> lines, LoadOptions options);

  /** Like {@link #importLines(Publisher, LoadOptions)}, with the usual options. */
  default Flux<LoadProgress> importLines(Publisher<String> lines) {
    return importLines(lines, LoadOptions.DEFAULT);
  }

  /**
   * Emits the state of the keys, one entry per key in order, all read at one version: at once, and
   * again when one of them has changed. A state watch, not a change feed: a slow subscriber gets
   * the newest state and misses those between; nothing is queued. Completes when the store is
   * closed.
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
   * a change feed, not a state watch. What a commit changes elsewhere is left out.
   *
   * <p><b>Resuming.</b> Every element carries the versionstamp to go on from: with it as {@code
   * since}, also after a crash or a restart, the feed misses nothing and repeats nothing. Only what
   * is durable is emitted. How far back a feed can go is a matter of {@link
   * KvOptions#withLogRetention}. A feed that falls behind that, or asks for more, fails with
   * COMPACTED; {@link KvException#oldest} tells the oldest stamp that is left.
   *
   * <p><b>Bookmarks</b> are elements without changes: everything up to their stamp has been
   * emitted. One comes as soon as the feed has caught up with what was committed before it was
   * subscribed to, unless the last element or {@code since} says as much; then one whenever nothing
   * was emitted for {@link ChangesOptions#bookmarkInterval} although there were commits.
   *
   * <p><b>Demand.</b> Nothing is read that is not asked for, and nothing queued: the feed of a
   * subscriber that asks for nothing costs nothing. At most 128 commits, and of large ones no more
   * than about 1 MiB and one commit, are read before the first of them has been delivered.
   * Cancelling stops reading.
   *
   * <p>Completes when the store, or the handle, is closed. Errors: COMPACTED; UNREADABLE_VALUE when
   * a value does not fit the type; CORRUPT; INVALID_ARGUMENT when {@code since} is after the newest
   * commit, or old values are asked for and not kept.
   *
   * @param since commits after this one are emitted, {@link Versionstamp#ZERO} for all there have
   *     been, or null for those after the subscription
   */
  <T> Flux<KvCommit<T>> changes(
      KvRange range, @Nullable Versionstamp since, ChangesOptions options, KvType<T> type);

  /** Like {@link #changes(KvRange, Versionstamp, ChangesOptions, KvType)}. */
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

  /** Follows the changes of a range from now on, with the natural Java types of the values. */
  default Flux<KvCommit<Object>> changes(KvRange range) {
    return changes(range, null, Object.class);
  }

  /**
   * Emits the entries of a range in key order, then {@link KvUpdate.Synced}, then every commit that
   * changes it: a list and a feed without a gap or a repetition between them. A map to which all
   * that was emitted has been applied holds what the range held at the stamp of Synced, and after
   * each commit what it held at the stamp of that; keys that have expired leave it when they are
   * removed, some time after.
   *
   * <p>Pages are read as demand asks, each at the newest version, so however long that takes
   * nothing is held; but the changes since the first page must still be kept when the last one has
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

  /** Like {@link #enqueue(Object, EnqueueOptions)}, with {@link EnqueueOptions#DEFAULT}. */
  default Mono<Versionstamp> enqueue(@Nullable Object message) {
    return enqueue(message, EnqueueOptions.DEFAULT);
  }

  /**
   * Puts a message into a queue and emits the commit's versionstamp, when the message is durable.
   * It may be anything that a value may be. Together with other changes: {@link
   * AtomicOperation#enqueue}. Errors: INVALID_VALUE; LIMIT_EXCEEDED for what {@link KvLimits} has
   * of messages; INVALID_KEY for an empty key if undelivered.
   */
  Mono<Versionstamp> enqueue(@Nullable Object message, EnqueueOptions options);

  /**
   * Consumes a queue: emits its messages, in the order in which they became ready, as demand asks.
   * Each is to be finished by {@link KvMessage#ack} or {@link KvMessage#nack}.
   *
   * <p><b>At least once.</b> A message that is not finished is delivered again: after a nack when
   * the next wait of its backoff has passed, likewise after a cancel, and when the store is opened
   * again after a crash. But while the subscription lives it keeps what it was given and does not
   * finish, without limit unless {@link QueueOptions#maxProcessing} sets one. Each delivery is
   * noted before it is emitted, so a message that kills its process uses up its attempts, and then
   * ends under its keys. Whoever handles messages must bear to see one twice.
   *
   * <p><b>Concurrency.</b> Several consumers of a queue compete: each message goes to one of them.
   * A subscription is given no more than it has requested, and no more unfinished messages than
   * {@link QueueOptions#maxInFlight}; so the demand of {@code flatMap(handler, 16)} makes 16
   * handlers. What a consumer has is kept for it, however long it takes, by signs of life that the
   * subscription gives; see {@link QueueOptions#lease} and {@link QueueOptions#maxProcessing}.
   *
   * <p><b>Cancel</b> gives unfinished messages back at once. For those that were emitted the
   * delivery counts as if they had been nacked, so a message that makes the subscriber fail comes
   * again by its backoff, also to a {@code retry()}, and ends under its keys at last. For those
   * that were not emitted yet it does not count. What is acked after that is told LEASE_LOST. So
   * finish messages first and cancel then, and let no operator take messages ahead: {@code
   * concatMap(m -> handle(m).then(m.ack()).thenReturn(m), 0).take(10)}.
   *
   * <p><b>Stop.</b> {@link QueueOptions#stopWhen} ends a subscription in good order: no message is
   * claimed any more, those that were emitted can be finished, and when they are it completes. It
   * completes at once when the store or the handle is closed, which waits for no handler and gives
   * all unfinished messages back without counting: what their handlers have done is done again. So
   * stop first, wait for the completion, and close then.
   *
   * <p>A message that cannot be read as the type is nacked and logged, and the others go on.
   * Errors: LIMIT_EXCEEDED for the name, INVALID_ARGUMENT for a request below 1, UNSUPPORTED when
   * the engine has no queues; not DISK_FULL and other retryable ones, after which the subscription
   * tries again.
   */
  <T> Flux<KvMessage<T>> listenQueue(KvType<T> type, QueueOptions options);

  /** Like {@link #listenQueue(KvType, QueueOptions)}, for a type without arguments. */
  default <T> Flux<KvMessage<T>> listenQueue(Class<T> type, QueueOptions options) {
    return listenQueue(KvType.of(type), options);
  }

  /** Consumes the nameless queue, which is Deno KV's. */
  default <T> Flux<KvMessage<T>> listenQueue(KvType<T> type) {
    return listenQueue(type, QueueOptions.DEFAULT);
  }

  /** Like {@link #listenQueue(KvType)}, for a type without arguments. */
  default <T> Flux<KvMessage<T>> listenQueue(Class<T> type) {
    return listenQueue(KvType.of(type));
  }

  /**
   * Consumes a queue by a handler, up to {@code concurrency} messages at a time, whatever {@link
   * QueueOptions#maxInFlight} is: acks a message when what the handler returns completes, nacks it
   * when that fails, which is logged; unless the handler has acked or nacked it itself. Does not
   * end by errors of handlers, only by those of {@link #listenQueue(KvType, QueueOptions)}; cancel
   * gives unfinished messages back, and their deliveries count. Completes when {@link
   * QueueOptions#stopWhen} says so and all handlers have ended; and, when the store or the handle
   * is closed, as soon as its handlers have ended, whose messages are delivered again all the same.
   * So to shut down:
   *
   * <pre>{@code
   * Sinks.Empty<Void> stop = Sinks.empty();
   * QueueOptions options = QueueOptions.of("mails").withStopWhen(stop.asMono());
   * Mono<Void> handled = kv.handleQueue(Mail.class, options, 16, m -> send(m.required())).cache();
   * handled.subscribe();
   * // later
   * stop.tryEmitEmpty();
   * handled.then(kv.close()).subscribe();
   * }</pre>
   *
   * Handlers are called on the subscriber's context, and must not block it. Error: INVALID_ARGUMENT
   * for a concurrency below 1.
   */
  <T> Mono<Void> handleQueue(
      KvType<T> type,
      QueueOptions options,
      int concurrency,
      Function<? super KvMessage<T>, ? extends Publisher<?>> handler);

  /** Like {@link #handleQueue(KvType, QueueOptions, int, Function)}, without type arguments. */
  default <T> Mono<Void> handleQueue(
      Class<T> type,
      QueueOptions options,
      int concurrency,
      Function<? super KvMessage<T>, ? extends Publisher<?>> handler) {
    return handleQueue(KvType.of(type), options, concurrency, handler);
  }

  /**
   * Builds the store's image anew, without the room that deleted keys have left in it, while reads
   * and commits go on. Emits progress, the newest when demand is slow, and completes when the new
   * image is in use. Done by itself when far more keys were removed than are left; so only needed
   * to give room back to the disk early. It takes room for a second image meanwhile. Cancel gives
   * it up. Errors: UNSUPPORTED in memory, DISK_FULL; CLOSED also when the store, or the handle, is
   * closed meanwhile.
   */
  Flux<CompactionProgress> compact();

  /**
   * Returns the id of the store's history: the sequence of commits that its versionstamps, cursors
   * and changes belong to. Two stores with the same id have the same commits under the same
   * versionstamps. The id lasts across restarts and crashes. A store that was {@link #restore
   * restored} has another one, and so has a store whose damaged log was cut by hand. A store in
   * memory has a new one each time. Null if the engine does not know it.
   */
  @Nullable UUID historyId();

  /**
   * Emits how the store is doing. Costs a few milliseconds of a reader thread, and more when queues
   * are deep, so ask every few seconds, not for every request; {@code io.kvreactive.metrics} brings
   * it to Micrometer. Error: UNSUPPORTED when the engine does not tell.
   */
  Mono<KvStats> stats();

  /**
   * Writes a backup while everything else goes on. It is of one versionstamp, which its last
   * progress tells: it has every commit up to that and nothing else, with versionstamps, times of
   * expiry, queues and ids of commits. All that was answered before the subscription is in it.
   *
   * <p>The backup is a directory: it appears under its name when it is whole and durable, and until
   * then is built in {@code DIRECTORY.partial}, which the next attempt replaces if the process
   * dies. {@link #restore} makes a store of it. While the backup is written the log of the store is
   * kept, and so grows by what is committed meanwhile.
   *
   * <p>Emits the progress now and then, only the latest when demand is slow; the last one {@link
   * BackupProgress#isDone is done}; then completes. Cancel stops it and deletes what was written.
   * It runs on a thread of its own, named {@code kv-backup-…}.
   *
   * <p>Errors: INVALID_ARGUMENT when the directory exists and is not empty; OVERLOADED while
   * another backup of this store is being written; LOCKED while anybody else writes one to the same
   * directory; CLOSED also when the store is closed meanwhile; DISK_FULL and IO_FAILED of the disk
   * of the backup; CORRUPT; SNAPSHOT_TOO_OLD for a store in memory to which so much is written
   * meanwhile that the history cannot be kept. No error leaves anything behind.
   *
   * @param directory to be made, in a parent that is made as well; or one that is empty
   */
  Flux<BackupProgress> backup(Path directory);

  /**
   * Makes a store of a backup, which is only read; to be opened then. Every page of it is compared
   * with its checksum. The versionstamps of the store go on behind the last one. It is another
   * store than the one that the backup is of: their logs cannot be mixed.
   *
   * <p>With {@link RestoreOptions#withLog} it goes on with what was committed after the backup, up
   * to the end of the log, or to {@link RestoreOptions#until(Versionstamp) a versionstamp} or
   * {@link RestoreOptions#until(java.time.Instant) a time}. How far back the log of a store goes is
   * a matter of {@link KvOptions#withLogRetention}. The commit at which a killed process was
   * interrupted is there whole or not at all.
   *
   * <p>Emits what was restored when it is durable. The directory appears under its name as a whole;
   * cancel and errors leave nothing behind. It runs on a thread of its own.
   *
   * <p>Errors: INVALID_ARGUMENT when {@code backup} is none, the directory exists and is not empty,
   * the log is of another store, or the bound is before the backup or, as a versionstamp, behind
   * the end of the log; COMPACTED when the log does not reach back to the backup; CORRUPT when a
   * file is damaged (the message says which and where); LOCKED while anybody else restores to the
   * same directory; DISK_FULL, IO_FAILED, INTERNAL.
   *
   * @param directory to be made, in a parent that is made as well; or one that is empty
   */
  static Mono<RestoreResult> restore(Path backup, Path directory, RestoreOptions options) {
    return Stores.restore(backup, directory, options);
  }

  /** Like {@link #restore(Path, Path, RestoreOptions)}: the store as it was, without a log. */
  static Mono<RestoreResult> restore(Path backup, Path directory) {
    return restore(backup, directory, RestoreOptions.DEFAULT);
  }

  /**
   * Reads all of this store, as {@link #verify(Path)} does, while it goes on working: commits and
   * reads are not held up, only the background writing of the image takes turns with it, in steps
   * of some ten milliseconds. The log is compared up to what is durable, and kept meanwhile. Of a
   * store without files the records are checked. Cancel stops it. Errors: CLOSED, also when the
   * store is closed meanwhile; UNSUPPORTED when the engine cannot; what the store has failed with,
   * if it takes no more commits: verify its directory then.
   */
  Mono<VerifyReport> verify();

  /** What is accepted. */
  KvLimits limits();

  /**
   * Returns the engine beneath: the store as byte strings, for those who serve it to others. It
   * must not be closed, and its signals come on any thread.
   */
  KvEngine engine();

  /**
   * Closes the handle; one from {@link #open} also closes the store: completes watches, feeds and
   * queues, answers commits that wait, brings the log to the medium, frees all files and threads,
   * and then completes. Idempotent.
   */
  Mono<Void> close();
}
