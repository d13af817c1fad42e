package io.kvreactive;

import io.kvreactive.internal.api.Stores;
import io.vertx.core.Vertx;
import java.util.List;
import org.jspecify.annotations.Nullable;
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

  /** Opens a store without files; see {@link KvOptions#inMemory}. */
  static Mono<Kv> inMemory(Vertx vertx) {
    return open(vertx, KvOptions.inMemory().withName("memory-" + java.util.UUID.randomUUID()));
  }

  /**
   * A handle of a store that is deployed on this Vert.x, by {@link #open} or by hand as {@link
   * KvVerticle}. Closing this handle leaves the store running. Error: NO_SUCH_STORE.
   */
  static Mono<Kv> named(Vertx vertx, String name) {
    return Stores.named(vertx, name);
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

  /** What is accepted. */
  KvLimits limits();

  /**
   * Closes the handle; one from {@link #open} also closes the store: completes watches, answers
   * commits that wait, brings the log to the medium, frees all files and threads, and then
   * completes. Idempotent.
   */
  Mono<Void> close();
}
