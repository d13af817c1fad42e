package io.kvreactive.internal.api.tx;

import io.kvreactive.KvEntry;

/**
 * An entry with the part of the read set that its emission adds.
 *
 * @param <T> type of the value
 */
interface RecordedRead<T> {
  KvEntry<T> entry();

  void addTo(ReadSet reads);
}
