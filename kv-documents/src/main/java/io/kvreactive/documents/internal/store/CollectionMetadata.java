package io.kvreactive.documents.internal.store;

import io.kvreactive.Versionstamp;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.IndexingMode;
import io.kvreactive.documents.internal.eval.ComputedProperties;
import io.kvreactive.documents.internal.layout.IndexLayout;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.path.MemberStep;
import io.kvreactive.documents.internal.value.MemberNames;
import io.kvreactive.spi.ReadRange;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of a collection by one version of its record: its key layout, its index layouts for
 * writes, and the indexes available to queries. Immutable but for a cache, and thread-safe.
 *
 * <p>A query reads {@link #recordKey} in the same snapshot as the entries. If the key has {@link
 * #versionstamp}, this metadata is valid for the snapshot.
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
  private final Set<String> identityMembers;
  private final MemberNames memberNames = new MemberNames();

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
    this.identityMembers = identityMembers(writeLayout);
  }

  private static Set<String> identityMembers(IndexLayout layout) {
    Set<String> members = new HashSet<>();
    members.add("id");
    for (IndexPath path : layout.partitionKey()) {
      if (path.steps().get(0) instanceof MemberStep first) {
        members.add(first.name());
      }
    }
    return Set.copyOf(members);
  }

  /**
   * Returns the layout of a definition. Indexes of a base that the current definition lacks are
   * being dropped; they get a number below all others.
   */
  private static IndexLayout layout(CollectionRecord record, CollectionDefinition definition) {
    return IndexLayout.of(definition, name -> record.number(name).orElse(0));
  }

  /**
   * Decodes the metadata of a collection.
   *
   * @param value the value of the collection's record
   * @param versionstamp the versionstamp of the record
   */
  public static CollectionMetadata decode(
      String root, String name, byte[] value, Versionstamp versionstamp) {
    return new CollectionMetadata(root, name, CollectionRecord.decode(value), versionstamp);
  }

  public String name() {
    return name;
  }

  /** Returns the key of the collection's record. */
  public byte[] recordKey() {
    return recordKey;
  }

  /** Returns the versionstamp of the commit that wrote the collection's record. */
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

  /**
   * Returns the seconds to live of items without a ttl of their own, or null if nothing expires.
   */
  public @Nullable Integer defaultTtl() {
    return record.definition().defaultTtl();
  }

  /** Returns the layout of the index entries that written items get. */
  public IndexLayout writeLayout() {
    return writeLayout;
  }

  /** Returns the computed properties of the collection. */
  public ComputedProperties computed() {
    return writeLayout.computed();
  }

  /** Returns the layouts of other entries that an item may have. Only their range entries count. */
  public List<IndexLayout> deleteLayouts() {
    return deleteLayouts;
  }

  /** Returns true if items may lack entries of {@link #writeLayout}, or expiry entries. */
  public boolean building() {
    return !record.builds().isEmpty();
  }

  /** Returns true if the indexing mode is lazy. */
  public boolean isLazy() {
    return record.definition().indexingPolicy().indexingMode() == IndexingMode.LAZY;
  }

  /**
   * Returns true if writers leave the entries of an item to the background, and record a {@link
   * PendingIndexing}. False while indexes are built: nothing becomes pending then, so that the
   * build ends.
   */
  public boolean defersEntries() {
    return isLazy() && !building();
  }

  /** Returns true if any {@link PendingIndexing} may exist. */
  public boolean mayLag() {
    return defersEntries() || record.build(CollectionRecord.PENDING) != null;
  }

  /** Returns the members of documents that are needed for their identity. */
  public Set<String> identityMembers() {
    return identityMembers;
  }

  /** Returns the names of members that items have in common. */
  public MemberNames memberNames() {
    return memberNames;
  }

  public IndexAvailability available() {
    return available;
  }

  /**
   * Returns true if {@link #due} covers all items. Otherwise only the items themselves show whether
   * they have expired.
   */
  public boolean expiryKnown() {
    return defaultTtl() == null || record.build(CollectionRecord.TTL) == null;
  }

  /**
   * Returns the ranges of the expiry entries of expired items that are not removed yet. If the
   * ranges are empty, all stored items are alive.
   *
   * @param limit the maximum number of keys of each range
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
