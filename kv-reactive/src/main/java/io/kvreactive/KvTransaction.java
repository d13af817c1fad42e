package io.kvreactive;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The transaction that the body of {@link Kv#transact} uses. Reads see one snapshot of the store,
 * overlaid by the writes that the transaction made before the read was subscribed to. Changes are
 * collected in order, and committed together when the body has completed, if nothing that was read
 * has changed by then.
 *
 * <p><b>The read set</b> contains what was emitted: a key, present or absent; of a list, the range
 * from its start to the last emitted entry, or the whole range if the list completed. So a new key
 * in the range is a conflict too. Reads that the transaction's own writes answer are not part of
 * it.
 *
 * <p><b>Own writes</b> are read as they will be stored, except that their versionstamp is not known
 * yet and is {@link Versionstamp#ZERO}. A key set by {@link #setVersionstamped} is not known either
 * and cannot be read. A sum, min or max does not read the store, so it causes no conflict, unless
 * the key is read as well.
 *
 * <p>Thread-safe, so reads may run in parallel ({@code Mono.zip}). Valid until the body has ended;
 * after that, reads emit CLOSED and changes throw it. Times of {@code expireIn} count from the
 * start of the attempt. Errors and threads of reads are those of {@link Kv}. Reads also emit
 * TYPE_MISMATCH and OUT_OF_RANGE if the transaction's own sum, min or max cannot be applied to the
 * stored value.
 */
public abstract class KvTransaction extends MutationBuilder<KvTransaction> {
  /**
   * Creates a transaction; for implementations of {@link Kv}.
   *
   * @param encoder the encoder of values; throws INVALID_VALUE
   */
  protected KvTransaction(Function<@Nullable Object, KvValue> encoder) {
    super(encoder);
  }

  /** Returns the version of the store that the transaction reads. */
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
   * Emits one entry for each key, in the order of the keys, absent ones included. Pages are read on
   * demand.
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
   * Emits the entries of a range in key order, then completes. Pages are read on demand, all at the
   * snapshot; {@link ListOptions#consistency} is ignored. Writes that the transaction makes after
   * the subscription are not included, so a body may change the range that it lists.
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

  /**
   * Counts the keys of a range. Takes time in proportion to the number of keys. Adds the whole
   * range to the read set.
   */
  public Mono<Long> count(KvRange range) {
    return list(range, ListOptions.DEFAULT.withKeysOnly(true), KvValue.class).count();
  }
}
