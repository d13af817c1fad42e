package io.kvreactive.internal.api.tx;

import io.kvreactive.KvEntry;

/**
 * An entry on its way to the reader, and what of the store it tells.
 *
 * @param <T> type of the value
 */
interface RecordedRead<T> {
  KvEntry<T> entry();

  void addTo(ReadSet reads);
}
