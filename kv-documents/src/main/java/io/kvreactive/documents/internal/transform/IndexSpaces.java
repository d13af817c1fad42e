package io.kvreactive.documents.internal.transform;

import io.kvreactive.documents.internal.layout.CompositeComponent;
import io.kvreactive.documents.internal.layout.CompositeIndex;
import io.kvreactive.documents.internal.layout.EntryKeys;
import io.kvreactive.documents.internal.layout.KeyRange;
import io.kvreactive.documents.internal.layout.StoredVectorIndex;
import io.kvreactive.documents.internal.layout.TupleIndex;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.store.CollectionKeys;
import io.kvreactive.documents.internal.store.CollectionRecord;
import io.kvreactive.documents.internal.store.IndexAvailability;
import io.kvreactive.spi.ReadRange;
import java.util.Arrays;
import java.util.List;

/** Key ranges of the entries of indexes known only by their number. */
final class IndexSpaces {
  private IndexSpaces() {}

  /**
   * Returns the entry keys of a numbered index. Its paths do not matter for the range of all its
   * entries.
   */
  static EntryKeys ofIndex(String index, int number) {
    if (index.equals(IndexAvailability.tuple(number))) {
      return EntryKeys.of(new TupleIndex(number, IndexPath.ROOT, List.of(IndexPath.ROOT)));
    }
    if (!index.equals(IndexAvailability.composite(number))) {
      return EntryKeys.ofTerms(number);
    }
    return EntryKeys.of(
        new CompositeIndex(number, List.of(new CompositeComponent(IndexPath.ROOT, false))));
  }

  /** Returns the prefix of the keys of a numbered index. */
  static byte[] prefix(String index, int number) {
    return index.equals(IndexAvailability.vector(number))
        ? StoredVectorIndex.prefix(number)
        : ofIndex(index, number).prefix();
  }

  static boolean startsWith(byte[] key, byte[] prefix) {
    return key.length >= prefix.length
        && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
  }

  /** Returns the range of keys that a drop removes, with a limit of one key. */
  static ReadRange of(CollectionRecord.Drop drop, String root, CollectionRecord record) {
    return switch (drop.space()) {
      case NUMBER -> {
        KeyRange range =
            drop.index().equals(IndexAvailability.vector(drop.number()))
                ? StoredVectorIndex.everything(drop.number())
                : ofIndex(drop.index(), drop.number()).everything();
        yield new CollectionKeys(root, record.id(), record.entriesNumber(), record.expiriesNumber())
            .entries(range.start(), range.end(), 1, false, true);
      }
      case ENTRIES -> {
        CollectionKeys keys = new CollectionKeys(root, record.id(), drop.number(), 0);
        yield new ReadRange(keys.entriesStart(), keys.entriesAndPendingEnd(), 1, false, true);
      }
      case EXPIRIES -> {
        CollectionKeys keys = new CollectionKeys(root, record.id(), 0, drop.number());
        yield new ReadRange(keys.expiriesStart(), keys.expiriesEnd(), 1, false, true);
      }
    };
  }
}
