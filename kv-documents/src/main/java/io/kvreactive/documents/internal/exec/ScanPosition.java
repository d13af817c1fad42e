package io.kvreactive.documents.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The position of an item in a source.
 *
 * @param kind the kind of the source
 * @param docId the document id, for kinds in document id order
 * @param raw the entry, for kinds in entry order
 * @param keys the sort keys of an item with truncated entries, or null if {@code raw} is the entry
 *     of the item. If present, {@code raw} is the common prefix of the entries of the sorted items
 */
record ScanPosition(Kind kind, long docId, byte @Nullable [] raw, @Nullable List<JsonNode> keys) {
  enum Kind {
    /** Items in document id order. */
    ITEMS('d'),
    /** Entries of an index, in their order. */
    ENTRIES('k'),
    /** Entries of the index that gives the requested order. */
    ORDER('w'),
    /** Items without a sort value, in document id order. */
    UNDEFINED('u'),
    /** Items with an array or object as sort value. */
    CONTAINERS('c'),
    /** Sorted rows. */
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
