package io.kvreactive.index.internal.collection;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvValue;
import io.kvreactive.index.internal.layout.IndexLayout;
import io.kvreactive.index.internal.layout.VectorEntries;

/** The values of index entries: the vector of a flat index, and nothing for all others. */
public final class EntryValues {
  private EntryValues() {}

  /**
   * Returns the value of an entry.
   *
   * @param raw the entry
   * @param item the item that the entry is of, with all members that are indexed
   */
  public static KvValue of(IndexLayout layout, byte[] raw, JsonNode item) {
    byte[] value = VectorEntries.value(layout, raw, item);
    return value.length == 0 ? ItemCommit.NOTHING : new KvValue(KvValue.Encoding.BYTES, value);
  }
}
