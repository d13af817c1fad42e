package io.kvreactive.index.internal.store;

import io.kvreactive.Versionstamp;
import io.kvreactive.index.CollectionDefinition;
import io.kvreactive.index.IndexingMode;
import io.kvreactive.index.internal.layout.IndexLayout;
import io.kvreactive.spi.ReadRange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A collection as one version of its record tells: where its keys stand, how items are written, and
 * what may be read. Immutable; for any number of threads.
 *
 * <p>A query that reads {@link #recordKey} in the snapshot it reads entries in, and finds {@link
 * #versionstamp}, knows that this is what it is about.
 */
public final class CollectionMetadata {
  private final String name;
  private final byte[] recordKey;
  private final Versionstamp versionstamp;
  private final CollectionRecord record;
  private final CollectionKeys keys;
  private final IndexLayout writeLayout;
  private final List<IndexLayout> deleteLayouts;
  private final IndexAvailability available;

  public CollectionMetadata(
      String root, String name, CollectionRecord record, Versionstamp versionstamp) {
    this.name = name;
    this.recordKey = CollectionKeys.definition(root, name);
    this.versionstamp = versionstamp;
    this.record = record;
    this.keys =
        new CollectionKeys(root, record.id(), record.entriesNumber(), record.expiriesNumber());
    this.writeLayout = layout(record, record.definition());
    this.deleteLayouts = record.bases().stream().map(base -> layout(record, base)).toList();
    this.available = new IndexAvailability(record, writeLayout, deleteLayouts);
  }

  /** Indexes that a base has and the definition has not are given up: they get a number below. */
  private static IndexLayout layout(CollectionRecord record, CollectionDefinition definition) {
    return IndexLayout.of(definition, name -> record.number(name).orElse(0));
  }

  /**
   * @param value of the collection's record
   * @param versionstamp of it
   */
  public static CollectionMetadata decode(
      String root, String name, byte[] value, Versionstamp versionstamp) {
    return new CollectionMetadata(root, name, CollectionRecord.decode(value), versionstamp);
  }

  public String name() {
    return name;
  }

  /** The key of the collection's record. */
  public byte[] recordKey() {
    return recordKey;
  }

  /** The commit that wrote the collection's record. */
  public Versionstamp versionstamp() {
    return versionstamp;
  }

  public CollectionRecord record() {
    return record;
  }

  public CollectionKeys keys() {
    return keys;
  }

  public CollectionDefinition definition() {
    return record.definition();
  }

  public int policyVersion() {
    return record.policyVersion();
  }

  /** Seconds to live of items without a ttl of their own; null where nothing expires. */
  public @Nullable Integer defaultTtl() {
    return record.definition().defaultTtl();
  }

  /** What entries an item gets. */
  public IndexLayout writeLayout() {
    return writeLayout;
  }

  /** What other entries an item may have; only their range entries count. */
  public List<IndexLayout> deleteLayouts() {
    return deleteLayouts;
  }

  /** Whether items may lack entries of {@link #writeLayout}, or expiries. */
  public boolean building() {
    return !record.builds().isEmpty();
  }

  /** Whether the indexing mode is lazy. */
  public boolean isLazy() {
    return record.definition().indexingPolicy().indexingMode() == IndexingMode.LAZY;
  }

  /**
   * Whether who writes an item leaves its entries to the background, and says so by a {@link
   * Pending}. Not while indexes are built: then nothing becomes pending, so that the build ends.
   */
  public boolean defersEntries() {
    return isLazy() && !building();
  }

  /** Whether there may be a {@link PendingIndexing}. */
  public boolean mayLag() {
    return defersEntries() || record.build(CollectionRecord.PENDING) != null;
  }

  public IndexAvailability available() {
    return available;
  }

  /**
   * Whether {@link #due} tells about all items: if not, only the items themselves tell whether they
   * have expired.
   */
  public boolean expiryKnown() {
    return defaultTtl() == null || record.build(CollectionRecord.TTL) == null;
  }

  /**
   * Where keys stand of items that have expired and are not removed yet: none there means that all
   * items that are stored are alive.
   *
   * @param limit most keys of each range
   */
  public List<ReadRange> due(long nowSeconds, int limit) {
    Integer ttl = defaultTtl();
    List<ReadRange> ranges = new ArrayList<>();
    if (ttl != null) {
      ranges.add(keys.expiries(ExpiryKind.EXPIRES, nowSeconds, limit));
      if (ttl > 0) {
        ranges.add(keys.expiries(ExpiryKind.WRITTEN, nowSeconds - ttl, limit));
      }
    }
    return ranges;
  }
}
