package io.kvreactive;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * What the body of {@link Kv#transact} works with. Reads see one snapshot of the store and, in
 * front of it, what the transaction itself has written before the read was subscribed to. Changes
 * are gathered, in order, and committed together when the body has completed, if nothing that was
 * read has changed by then.
 *
 * <p><b>What counts as read</b> is what was emitted: a key, present or absent; of a list the range
 * from its start to the last entry that was taken, or all of it when it completed, so that nobody
 * can slip in a key either. What is answered from the transaction's own writes alone is no read.
 *
 * <p><b>Own writes</b> read back as they will be stored. Their versionstamp is not known yet: it is
 * {@link Versionstamp#ZERO}. A key set by {@link #setVersionstamped} is not known either, and
 * cannot be read back. A sum, min or max does not read the store, so it conflicts with nobody; it
 * does when the key is read as well.
 *
 * <p>Thread-safe, so reads may run side by side ({@code Mono.zip}). Good until the body has ended;
 * used later, reads emit CLOSED and changes throw it. Times of {@code expireIn} count from the
 * start of the attempt. Errors and threads of reads are those of {@link Kv}; in addition they emit
 * TYPE_MISMATCH and OUT_OF_RANGE when an own sum, min or max cannot be applied to what is stored.
 */
public abstract class KvTransaction extends MutationBuilder<KvTransaction> {
  /**
   * For implementations of {@link Kv}.
   *
   * @param encoder how values are encoded; throws INVALID_VALUE
   */
  protected KvTransaction(Function<@Nullable Object, KvValue> encoder) {
    super(encoder);
  }

  /** Returns the version of the store that is read. */
  public abstract Versionstamp snapshot();

  /** Emits the entry of a key, present or not. */
  public abstract <T> Mono<KvEntry<T>> get(KvKey key, KvType<T> type);

  /** Like {@link #get(KvKey, KvType)}, for a type without arguments. */
  public <T> Mono<KvEntry<T>> get(KvKey key, Class<T> type) {
    return get(key, KvType.of(type));
  }

  /** Like {@link #get(KvKey, KvType)}, with the natural Java type of the value. */
  public Mono<KvEntry<Object>> get(KvKey key) {
    return get(key, Object.class);
  }

  /**
   * Emits one entry for each key, in the order of the keys, absent ones included; reads in pages as
   * demand asks.
   */
  public abstract <T> Flux<KvEntry<T>> getMany(List<KvKey> keys, KvType<T> type);

  /** Like {@link #getMany(List, KvType)}, for a type without arguments. */
  public <T> Flux<KvEntry<T>> getMany(List<KvKey> keys, Class<T> type) {
    return getMany(keys, KvType.of(type));
  }

  /** Like {@link #getMany(List, KvType)}, with the natural Java type of the values. */
  public Flux<KvEntry<Object>> getMany(List<KvKey> keys) {
    return getMany(keys, Object.class);
  }

  /**
   * Emits the entries of a range in key order, then completes; reads in pages as demand asks. All
   * pages are read at the snapshot, whatever the options say of consistency. What the transaction
   * writes after the subscription is not in it, so a body may change what it is listing.
   */
  public abstract <T> Flux<KvEntry<T>> list(KvRange range, ListOptions options, KvType<T> type);

  /** Like {@link #list(KvRange, ListOptions, KvType)}, for a type without arguments. */
  public <T> Flux<KvEntry<T>> list(KvRange range, ListOptions options, Class<T> type) {
    return list(range, options, KvType.of(type));
  }

  /** Lists everything in a range, ascending. */
  public <T> Flux<KvEntry<T>> list(KvRange range, Class<T> type) {
    return list(range, ListOptions.DEFAULT, type);
  }

  /** Lists with the natural Java type of the values. */
  public Flux<KvEntry<Object>> list(KvRange range, ListOptions options) {
    return list(range, options, Object.class);
  }

  /** Lists everything in a range, ascending, with the natural Java type of the values. */
  public Flux<KvEntry<Object>> list(KvRange range) {
    return list(range, ListOptions.DEFAULT, Object.class);
  }

  /** Counts the keys of a range. Takes time in proportion; reads all of the range. */
  public Mono<Long> count(KvRange range) {
    return list(range, ListOptions.DEFAULT.withKeysOnly(true), KvValue.class).count();
  }
}
