package io.kvreactive.documents;

import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvTransaction;
import io.kvreactive.ListOptions;
import io.kvreactive.documents.internal.api.RecordIndex;
import io.kvreactive.documents.internal.api.RecordWrites;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A store of records of one type, with indexes whose values are functions of the record; a simple
 * alternative to documents and queries:
 *
 * <pre>{@code
 * RecordStore<User> users =
 *     RecordStore.of(kv, "users", User.class, User::id)
 *         .unique("email", User::email)
 *         .index("color", User::favoriteColor);
 * users.insert(ada).then(users.findBy("email", "ada@example.com")).subscribe();
 * users.listBy("color", "blue").take(10).subscribe();
 * }</pre>
 *
 * <p>A record and its index entries change in one commit. The keys are the obvious ones, so that
 * programs in other languages can read and write them: {@code ["users", id]} holds the record,
 * {@code ["users_by_email", email]} and {@code ["users_by_color", color, id]} hold the id.
 *
 * <p>A function returns a value allowed as key part (text, a number, a boolean, bytes), a {@code
 * List} of such values for several parts, or null. The index has no entries of records whose value
 * is null. Functions are called on the thread that emits signals, and again after a conflict. They
 * must return the same value for the same record. Immutable. Publishers, threads and errors are
 * those of {@link Kv}, and {@link DocumentException}s where documented.
 *
 * @param <T> the type of the records; any type that {@link Kv#set} stores
 */
public final class RecordStore<T> {
  private static final int READ_AHEAD = 64;
  private static final int REBUILT_AT_ONCE = 100;

  private final Kv kv;
  private final String name;
  private final Class<T> type;
  private final Function<? super T, ?> key;
  private final List<RecordIndex<T>> indexes;
  private final RecordWrites<T> writes;

  private RecordStore(
      Kv kv, String name, Class<T> type, Function<? super T, ?> key, List<RecordIndex<T>> indexes) {
    this.kv = kv;
    this.name = name;
    this.type = type;
    this.key = key;
    this.indexes = indexes;
    this.writes = new RecordWrites<>(type, indexes);
  }

  /**
   * Returns a store of records without an index.
   *
   * @param name the first part of the records' keys
   * @param key the function from a record to its primary key; never returns null
   */
  public static <T> RecordStore<T> of(
      Kv kv, String name, Class<T> type, Function<? super T, ?> key) {
    return new RecordStore<>(kv, name, type, key, List.of());
  }

  /**
   * Returns this store with an additional index in which every value belongs to one record.
   *
   * @throws DocumentException INVALID_ARGUMENT if an index of this name already exists
   */
  public RecordStore<T> unique(
      String index, Function<? super T, ? extends @Nullable Object> value) {
    return with(RecordIndex.unique(name, index, value));
  }

  /**
   * Returns this store with an additional index in which a value may belong to many records.
   *
   * @throws DocumentException INVALID_ARGUMENT if an index of this name already exists
   */
  public RecordStore<T> index(String index, Function<? super T, ? extends @Nullable Object> value) {
    return with(RecordIndex.plain(name, index, value));
  }

  private RecordStore<T> with(RecordIndex<T> index) {
    List<RecordIndex<T>> more = new ArrayList<>(indexes);
    for (RecordIndex<T> present : indexes) {
      if (present.name().equals(index.name())) {
        throw new DocumentException(
            DocumentErrorCode.INVALID_ARGUMENT,
            "index: \"%s\" (expected: an unused name)".formatted(index.name()));
      }
    }
    more.add(index);
    return new RecordStore<>(kv, name, type, key, List.copyOf(more));
  }

  /**
   * Stores a new record and emits it. Error: ITEM_EXISTS if a record with the same key, or with the
   * same value in a unique index, exists.
   */
  public Mono<T> insert(T record) {
    return kv.transact(tx -> insert(tx, record)).thenReturn(record);
  }

  /** Stores a new record as part of a transaction, as {@link #insert(Object)} does. */
  public Mono<Void> insert(KvTransaction tx, T record) {
    KvKey at = keyOf(record);
    return tx.get(at, type)
        .flatMap(
            present ->
                present.exists()
                    ? Mono.error(RecordIndex.taken(at))
                    : writes.change(tx, at, null, record));
  }

  /**
   * Stores a new or existing record and emits it. Error: ITEM_EXISTS if another record has the same
   * value in a unique index.
   */
  public Mono<T> put(T record) {
    return kv.transact(tx -> put(tx, record)).thenReturn(record);
  }

  /** Stores a record as part of a transaction, as {@link #put(Object)} does. */
  public Mono<Void> put(KvTransaction tx, T record) {
    KvKey at = keyOf(record);
    return tx.get(at, type).flatMap(present -> writes.change(tx, at, present.value(), record));
  }

  /**
   * Replaces a record by the result of a function and emits the result; empty if the record does
   * not exist. Errors: INVALID_ARGUMENT if the result has another key; ITEM_EXISTS as for {@link
   * #put(Object)}.
   */
  public Mono<T> update(Object key, Function<? super T, ? extends T> function) {
    KvKey at = RecordIndex.keyOf(name, key);
    return kv.transact(tx -> tx.get(at, type).flatMap(old -> replace(tx, at, old, function)));
  }

  private Mono<T> replace(
      KvTransaction tx, KvKey at, KvEntry<T> entry, Function<? super T, ? extends T> function) {
    T old = entry.value();
    if (old == null) {
      return Mono.empty();
    }
    T next = function.apply(old);
    KvKey recordKey = keyOf(next);
    if (!recordKey.equals(at)) {
      return Mono.error(
          new DocumentException(
              DocumentErrorCode.INVALID_ARGUMENT,
              "key of the new record: %s (expected: %s)".formatted(recordKey, at)));
    }
    return writes.change(tx, at, old, next).thenReturn(next);
  }

  /** Deletes a record and emits it; empty if the record does not exist. */
  public Mono<T> delete(Object key) {
    return kv.transact(tx -> delete(tx, key));
  }

  /** Deletes a record as part of a transaction, as {@link #delete(Object)} does. */
  public Mono<T> delete(KvTransaction tx, Object key) {
    KvKey at = RecordIndex.keyOf(name, key);
    return tx.get(at, type)
        .flatMap(
            present -> {
              T old = present.value();
              return old == null
                  ? Mono.<T>empty()
                  : writes.change(tx, at, old, null).thenReturn(old);
            });
  }

  /** Emits the record with a key; empty if the record does not exist. */
  public Mono<T> find(Object key) {
    return kv.get(RecordIndex.keyOf(name, key), type).mapNotNull(KvEntry::value);
  }

  /**
   * Emits the record with a value in a unique index; empty if there is no such record. Both reads
   * are at one version. Error: INVALID_ARGUMENT if the index does not exist or is not unique.
   */
  public Mono<T> findBy(String index, Object value) {
    return Mono.defer(
        () -> {
          KvKey entry = required(index, true).entry(value);
          return kv.transact(
              tx ->
                  tx.get(entry)
                      .mapNotNull(KvEntry::value)
                      .flatMap(at -> tx.get(RecordIndex.keyOf(name, at), type))
                      .mapNotNull(KvEntry::value));
        });
  }

  /** Emits all records in key order. */
  public Flux<T> list() {
    return kv.list(KvRange.prefix(name), type).mapNotNull(KvEntry::value);
  }

  /**
   * Emits the records with a value in an index, in key order. A value with fewer parts than the
   * index has is a prefix. Entries and records are read in pages on demand, each page at the newest
   * version. A record that is changed meanwhile may be missed, but every emitted record has the
   * value. Error: INVALID_ARGUMENT if the index does not exist.
   */
  public Flux<T> listBy(String index, Object value) {
    return Flux.defer(
        () -> {
          RecordIndex<T> requested = required(index, false);
          return listBy(requested, KvRange.prefix(requested.prefix(value)), ListOptions.DEFAULT);
        });
  }

  /**
   * Emits the records of an index in the order of its values, as {@link #listBy(String, Object)}
   * does for one value.
   */
  public Flux<T> listBy(String index, ListOptions options) {
    return Flux.defer(
        () -> {
          RecordIndex<T> requested = required(index, false);
          return listBy(requested, KvRange.prefix(requested.prefix(List.of())), options);
        });
  }

  private Flux<T> listBy(RecordIndex<T> index, KvRange range, ListOptions options) {
    return kv.list(range, options)
        .buffer(READ_AHEAD)
        .concatMap(entries -> records(index, entries), 1);
  }

  private Flux<T> records(RecordIndex<T> index, List<KvEntry<Object>> entries) {
    List<KvKey> keys =
        entries.stream()
            .map(entry -> RecordIndex.keyOf(name, Objects.requireNonNull(entry.value())))
            .toList();
    return kv.getMany(keys, type)
        .index()
        .filter(
            read -> {
              T record = read.getT2().value();
              KvKey entry = entries.get(read.getT1().intValue()).key();
              return record != null && index.entriesOf(keyOf(record), record).contains(entry);
            })
        .mapNotNull(read -> read.getT2().value());
  }

  /**
   * Rebuilds the index entries of all records, after an index was added or a function changed.
   * First removes the existing contents of the indexes. Emits the number of records done, and
   * completes at the end. Concurrent writes are allowed; an index is complete once the rebuild is.
   * Error: ITEM_EXISTS if two records have the same value in a unique index.
   */
  public Flux<Long> rebuild() {
    Flux<Long> cleared =
        Flux.fromIterable(indexes)
            .concatMap(index -> kv.deleteRange(KvRange.prefix(index.prefix(List.of()))))
            .thenMany(Flux.empty());
    Flux<Long> built =
        kv.list(KvRange.prefix(name), ListOptions.DEFAULT.withKeysOnly(true))
            .map(KvEntry::key)
            .buffer(REBUILT_AT_ONCE)
            .concatMap(
                keys -> kv.transact(tx -> writes.restore(tx, keys)).thenReturn((long) keys.size()),
                1)
            .scan(Long::sum);
    return cleared.concatWith(built);
  }

  private KvKey keyOf(T record) {
    Object recordKey = key.apply(record);
    if (recordKey == null) {
      throw new DocumentException(DocumentErrorCode.INVALID_ITEM, "the key of a record is null");
    }
    return RecordIndex.keyOf(name, recordKey);
  }

  private RecordIndex<T> required(String index, boolean unique) {
    for (RecordIndex<T> present : indexes) {
      if (present.name().equals(index) && (present.isUnique() || !unique)) {
        return present;
      }
    }
    throw new DocumentException(
        DocumentErrorCode.INVALID_ARGUMENT,
        "index: \"%s\" (expected: one of %s)"
            .formatted(
                index,
                indexes.stream()
                    .filter(present -> present.isUnique() || !unique)
                    .map(RecordIndex::name)
                    .toList()));
  }
}
