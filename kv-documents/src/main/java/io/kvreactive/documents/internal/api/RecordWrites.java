package io.kvreactive.documents.internal.api;

import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvTransaction;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Writes records together with their index entries. */
public final class RecordWrites<T> {
  private final Class<T> type;
  private final List<RecordIndex<T>> indexes;

  public RecordWrites(Class<T> type, List<RecordIndex<T>> indexes) {
    this.type = type;
    this.indexes = indexes;
  }

  /**
   * Changes a record. Entries of both versions are left alone.
   *
   * @param from the former version; null if the record did not exist
   * @param to the new version; null to delete the record
   */
  public Mono<Void> change(KvTransaction tx, KvKey at, @Nullable T from, @Nullable T to) {
    Set<KvKey> before = from == null ? Set.of() : entries(at, from, false);
    Set<KvKey> after = to == null ? Set.of() : entries(at, to, false);
    Set<KvKey> unique = to == null ? Set.of() : entries(at, to, true);
    List<KvKey> claimed = unique.stream().filter(entry -> !before.contains(entry)).toList();
    return free(tx, at, claimed)
        .then(
            Mono.fromRunnable(
                () -> {
                  before.stream().filter(entry -> !after.contains(entry)).forEach(tx::delete);
                  Object parts = RecordIndex.partsOf(at);
                  after.stream()
                      .filter(entry -> !before.contains(entry))
                      .forEach(entry -> tx.set(entry, parts));
                  if (to == null) {
                    tx.delete(at);
                  } else {
                    tx.set(at, to);
                  }
                }));
  }

  /** Sets all index entries of those of the given records that exist. */
  public Mono<Void> restore(KvTransaction tx, List<KvKey> records) {
    return tx.getMany(records, type).concatMap(entry -> restore(tx, entry)).then();
  }

  private Mono<Void> restore(KvTransaction tx, KvEntry<T> entry) {
    T record = entry.value();
    if (record == null) {
      return Mono.empty();
    }
    KvKey at = entry.key();
    return free(tx, at, List.copyOf(entries(at, record, true)))
        .then(
            Mono.fromRunnable(
                () ->
                    entries(at, record, false)
                        .forEach(key -> tx.set(key, RecordIndex.partsOf(at)))));
  }

  /** Completes if no other record has these entries. */
  private Mono<Void> free(KvTransaction tx, KvKey at, List<KvKey> claimed) {
    return Flux.fromIterable(claimed)
        .concatMap(tx::get)
        .concatMap(
            entry -> {
              Object owner = entry.value();
              return owner == null || RecordIndex.keyOf(at.stringAt(0), owner).equals(at)
                  ? Mono.empty()
                  : Mono.error(RecordIndex.taken(entry.key()));
            })
        .then();
  }

  private Set<KvKey> entries(KvKey at, T record, boolean onlyUnique) {
    List<KvKey> keys = new ArrayList<>();
    for (RecordIndex<T> index : indexes) {
      if (index.isUnique() || !onlyUnique) {
        keys.addAll(index.entriesOf(at, record));
      }
    }
    return new LinkedHashSet<>(keys);
  }
}
