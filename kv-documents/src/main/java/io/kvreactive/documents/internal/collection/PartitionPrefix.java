package io.kvreactive.documents.internal.collection;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.internal.encoding.KeyBuffer;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.path.MemberStep;
import io.kvreactive.documents.internal.store.CollectionKeys;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.CollectionRecord.LongIds;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.spi.ReadRange;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A partition key, or its first values, as two ranges of item ids.
 *
 * <ul>
 *   <li>Short ids: the encodings of the values and the id, together at most 256 bytes.
 *   <li>Long ids: {@code FE}; for each value and for the id, {@code 01} and the SHA-256 of its
 *       encoding. So the long ids of a partition are adjacent too.
 * </ul>
 *
 * <p>In collections of {@link LongIds#HASHED}, a long id is {@code FF} and the SHA-256 of the
 * encodings together. Their long ids of all partitions are one range, and only the items tell their
 * partition. Collections without a partition key have the same long ids, and no partitions.
 */
public final class PartitionPrefix {
  private static final byte[] HASHED = {CanonicalEncoding.HASHED};

  /** First byte of a long id. No encoding of a value begins with it. */
  private static final byte GROUPED = (byte) 0xFE;

  /** Precedes each hash of a long id. */
  private static final byte HASH = 1;

  /** Greater than any byte that continues a short or a long id after the values of a prefix. */
  private static final byte END = (byte) 0xFF;

  private final CollectionMetadata metadata;
  private final List<JsonNode> values;
  private final List<IndexPath> paths;
  private final byte[] encoded;

  /**
   * Creates a prefix.
   *
   * @param partition at least one value, and at most one for each path of the definition
   * @throws DocumentException INVALID_ARGUMENT
   */
  public PartitionPrefix(PartitionKey partition, CollectionMetadata metadata) {
    this.metadata = metadata;
    this.values = ItemIdentity.prefix(partition, metadata);
    this.paths = metadata.writeLayout().partitionKey().subList(0, values.size());
    this.encoded = encode(values);
  }

  /**
   * Returns the prefix of the partition key of a query; null for all partitions.
   *
   * @param partition null or without values for all partitions
   * @throws DocumentException INVALID_ARGUMENT
   */
  public static @Nullable PartitionPrefix of(
      @Nullable PartitionKey partition, CollectionMetadata metadata) {
    return partition == null || isNone(partition) ? null : new PartitionPrefix(partition, metadata);
  }

  /** Returns true for the partition key of a query of all partitions. */
  public static boolean isNone(@Nullable PartitionKey partition) {
    return partition == null || partition.values().isEmpty();
  }

  private static byte[] encode(List<JsonNode> values) {
    CanonicalEncoding bytes = new CanonicalEncoding();
    values.forEach(bytes::value);
    return bytes.toBytes();
  }

  public List<JsonNode> values() {
    return values;
  }

  /** Returns true if the key has a value for each path, so that there is one partition. */
  public boolean isComplete() {
    return paths.size() == metadata.writeLayout().partitionKey().size();
  }

  /** Returns a hash of a partition key for continuation tokens; empty for all partitions. */
  public static String hash(@Nullable PartitionKey partition) {
    if (partition == null || isNone(partition)) {
      return "";
    }
    ByteBuffer encoded = ByteBuffer.wrap(encode(ItemIdentity.scalars(partition)));
    CRC32C crc = new CRC32C();
    crc.update(encoded);
    return "." + Long.toHexString(crc.getValue());
  }

  /** Returns true if the long ids of a partition are adjacent. */
  static boolean groupsLongIds(CollectionMetadata metadata) {
    return metadata.record().longIds() == LongIds.GROUPED
        && !metadata.writeLayout().partitionKey().isEmpty();
  }

  /** Returns the long form of an id in a collection whose long ids are grouped. */
  static byte[] longId(List<JsonNode> partition, String id) {
    return longValues(partition).add(HASH).add(new CanonicalEncoding().text(id).hash()).toBytes();
  }

  private static KeyBuffer longValues(List<JsonNode> values) {
    KeyBuffer bytes = new KeyBuffer().add(GROUPED);
    for (JsonNode value : values) {
      bytes.add(HASH).add(new CanonicalEncoding().value(value).hash());
    }
    return bytes;
  }

  /** Returns the range of the short ids of the partition, whose values are document ids. */
  public ReadRange ids(int limit) {
    return continuing(encoded, limit);
  }

  /**
   * Returns the range of the long ids of the partition, whose values are document ids. Unless
   * {@link #longIdsAreGrouped}, it has those of all partitions.
   */
  public ReadRange longIds(int limit) {
    CollectionKeys keys = metadata.keys();
    return longIdsAreGrouped()
        ? continuing(longValues(values).toBytes(), limit)
        : new ReadRange(keys.idsFrom(HASHED), keys.idsEnd(), limit, false, false);
  }

  /** Returns true if {@link #longIds} has no ids of other partitions. */
  public boolean longIdsAreGrouped() {
    return groupsLongIds(metadata);
  }

  private ReadRange continuing(byte[] prefix, int limit) {
    byte[] end = Arrays.copyOf(prefix, prefix.length + 1);
    end[prefix.length] = END;
    return new ReadRange(
        metadata.keys().idsFrom(prefix), metadata.keys().idsFrom(end), limit, false, false);
  }

  /** Returns the names of the members of items that {@link #contains} reads. */
  public Set<String> members() {
    return paths.stream()
        .map(path -> ((MemberStep) path.steps().get(0)).name())
        .collect(Collectors.toSet());
  }

  /** Returns true if an item belongs to the partition. */
  public boolean contains(JsonNode item) {
    CanonicalEncoding bytes = new CanonicalEncoding();
    for (IndexPath path : paths) {
      JsonNode value = path.in(item);
      bytes.value(value.isMissingNode() ? Values.NULL : value);
    }
    return Arrays.equals(bytes.toBytes(), encoded);
  }
}
