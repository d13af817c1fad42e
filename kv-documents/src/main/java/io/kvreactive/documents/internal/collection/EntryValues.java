package io.kvreactive.documents.internal.collection;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvValue;
import io.kvreactive.documents.internal.layout.IndexLayout;
import io.kvreactive.documents.internal.layout.StoredVectorIndex;

/**
 * Computes the values of index entries: the vector for a flat vector index, and an empty value for
 * all other indexes.
 */
public final class EntryValues {
  private EntryValues() {}

  /**
   * Returns the value of an index entry.
   *
   * @param raw the index entry
   * @param item the item of the entry, with all indexed members
   */
  public static KvValue of(IndexLayout layout, byte[] raw, JsonNode item) {
    byte[] value = StoredVectorIndex.value(layout, raw, item);
    return value.length == 0 ? ItemCommit.NOTHING : new KvValue(KvValue.Encoding.BYTES, value);
  }
}
