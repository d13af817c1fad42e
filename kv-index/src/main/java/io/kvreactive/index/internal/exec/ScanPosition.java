package io.kvreactive.index.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where an item stands in what a query walks through.
 *
 * @param kind what it walks through
 * @param docId the item; for those kinds that are in the order of numbers
 * @param raw the entry; for those kinds that are in the order of entries
 * @param keys what the item is sorted by, where entries do not tell: {@code raw} is then what the
 *     entries of the items that are sorted start with; null when {@code raw} is its own entry
 */
record ScanPosition(Kind kind, long docId, byte @Nullable [] raw, @Nullable List<JsonNode> keys) {
  enum Kind {
    /** Items in the order of their numbers. */
    ITEMS('d'),
    /** Entries of an index, whatever order that is. */
    ENTRIES('k'),
    /** Entries of the index that has the order asked for. */
    ORDER('w'),
    /** Items without a value to order by, in the order of their numbers. */
    UNDEFINED('u'),
    /** Items with an array or object to order by. */
    CONTAINERS('c'),
    /** Rows that were sorted. */
    SORTED('s');

    private final char letter;

    Kind(char letter) {
      this.letter = letter;
    }

    char letter() {
      return letter;
    }

    static @Nullable Kind of(String text) {
      for (Kind kind : values()) {
        if (text.length() == 1 && text.charAt(0) == kind.letter) {
          return kind;
        }
      }
      return null;
    }
  }

  static ScanPosition item(Kind kind, long docId) {
    return new ScanPosition(kind, docId, null, null);
  }

  static ScanPosition entry(Kind kind, byte[] raw) {
    return new ScanPosition(kind, 0, raw, null);
  }
}
