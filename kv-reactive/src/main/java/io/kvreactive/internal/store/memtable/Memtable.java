package io.kvreactive.internal.store.memtable;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;

/**
 * One generation of commits: for each key the versions that some reader may still ask for, newest
 * first, and the deletions of whole ranges. The store thread adds; any thread reads at a version.
 * An entry is never taken out while a reader can see it; generations go as a whole.
 */
public final class Memtable {
  /** Heap of a map entry, a chain and a version beside the bytes of key and value. */
  static final int OVERHEAD = 200;

  private static final int VERSION_OVERHEAD = 72;

  private final ConcurrentSkipListMap<byte[], Chain> chains =
      new ConcurrentSkipListMap<>(Arrays::compareUnsigned);
  private final ConcurrentSkipListSet<byte[]> expiry =
      new ConcurrentSkipListSet<>(Arrays::compareUnsigned);
  private volatile List<RangeDeletion> deletions = List.of();
  private long bytes;

  /** Adds what a commit did to a key. Versions must not decrease. */
  public void put(byte[] key, VersionedValue state, long keepFrom) {
    Chain.Link link = new Chain.Link(state);
    Chain fresh = new Chain(link);
    Chain chain = chains.putIfAbsent(key, fresh);
    if (chain == null) {
      bytes += OVERHEAD + key.length + link.valueBytes();
    } else {
      unindex(key, chain.expireAt());
      chain.push(link);
      bytes += VERSION_OVERHEAD + link.valueBytes();
      bytes -= chain.prune(keepFrom, VERSION_OVERHEAD);
    }
    index(key, state.expireAt());
  }

  private void index(byte[] key, long expireAt) {
    if (expireAt != 0) {
      expiry.add(ExpiryKey.of(expireAt, key));
      bytes += OVERHEAD + key.length;
    }
  }

  private void unindex(byte[] key, long expireAt) {
    if (expireAt != 0 && expiry.remove(ExpiryKey.of(expireAt, key))) {
      bytes -= OVERHEAD + key.length;
    }
  }

  /** Adds the deletion of all versions before {@code version} in a range. */
  public void deleteRange(byte[] start, byte[] end, long version) {
    deletions = RangeDeletion.appended(deletions, new RangeDeletion(start, end, version));
    bytes += OVERHEAD + start.length + end.length;
  }

  /** Takes back what was added after {@code version} under the given keys. */
  public void rollback(Iterable<byte[]> keys, long version, long bytesThen) {
    for (byte[] key : keys) {
      Chain chain = chains.get(key);
      if (chain == null) {
        continue;
      }
      unindex(key, chain.expireAt());
      if (chain.dropAfter(version)) {
        index(key, chain.expireAt());
      } else {
        chains.remove(key);
      }
    }
    bytes = bytesThen;
    deletions = deletions.stream().filter(d -> d.version() <= version).toList();
  }

  /** The newest state of a key at a version; null when this generation does not know it. */
  public @Nullable VersionedValue get(byte[] key, long at) {
    Chain chain = chains.get(key);
    return state(key, chain, at);
  }

  /** The newest state of a key whose chain is at hand. */
  public @Nullable VersionedValue state(byte[] key, @Nullable Chain chain, long at) {
    Chain.Link link = chain == null ? null : chain.at(at);
    List<RangeDeletion> ranges = deletions;
    RangeDeletion deletion = ranges.isEmpty() ? null : RangeDeletion.newest(ranges, key, at);
    if (deletion != null && (link == null || deletion.version() > link.state.version())) {
      return new VersionedValue(deletion.version(), null, 0);
    }
    return link == null ? null : link.state;
  }

  /** The keys from {@code start} (inclusive) to {@code end} (exclusive), in either direction. */
  public Map<byte[], Chain> range(byte[] start, byte[] end, boolean reverse) {
    ConcurrentNavigableMap<byte[], Chain> range = chains.subMap(start, true, end, false);
    return reverse ? range.descendingMap() : range;
  }

  /** All keys, ascending. */
  public NavigableMap<byte[], Chain> all() {
    return chains;
  }

  public List<RangeDeletion> deletions() {
    return deletions;
  }

  /**
   * The {@link ExpiryKey}s of the newest versions, ascending. Of keys in a deleted range some may
   * be left: ask the state before acting.
   */
  public NavigableSet<byte[]> expiry() {
    return expiry;
  }

  /** An estimate of the heap this generation takes. Only for the thread that adds. */
  public long bytes() {
    return bytes;
  }
}
