package io.kvreactive.bench.peers;

import io.kvreactive.KvRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Another embedded store, with its own calls, which block. Writes come from one thread at a time,
 * reads from several.
 */
interface Peer extends AutoCloseable {
  /** An entry to be stored. */
  record Entry(byte[] key, byte[] value) {}

  /** Stores entries in one transaction, which is durable when this method returns. */
  void put(List<Entry> entries) throws Exception;

  byte @Nullable [] get(byte[] key) throws Exception;

  /** Reads keys and values of a range, and returns the number of entries. */
  int list(KvRange range) throws Exception;

  @Override
  void close();
}
