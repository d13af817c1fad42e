package io.kvreactive.index.internal.collection;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.IndexException;
import io.kvreactive.index.PartitionKey;
import io.kvreactive.index.internal.path.IndexPath;
import io.kvreactive.index.internal.path.MemberStep;
import io.kvreactive.index.internal.store.CollectionMetadata;
import io.kvreactive.index.internal.value.Values;
import io.kvreactive.spi.ReadRange;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A partition key, or its first values, as a range of item ids. The ids of a partition are
 * adjacent, except for long ones: of partition and id together more than 256 bytes, a hash is
 * stored. All hashed ids are in a range of their own, and their items tell the partition.
 */
public final class PartitionPrefix {
  private static final byte[] HASHED = {CanonicalEncoding.HASHED};

  private final CollectionMetadata metadata;
  private final List<JsonNode> values;
  private final List<IndexPath> paths;
  private final byte[] encoded;

  /**
   * Creates a prefix.
   *
   * @param partition at least one value, and at most one for each path of the definition
   * @throws IndexException INVALID_ARGUMENT
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
   * @throws IndexException INVALID_ARGUMENT
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

  /** Returns the range of the ids of the partition, whose values are document ids. */
  public ReadRange ids(int limit) {
    byte[] end = Arrays.copyOf(encoded, encoded.length + 1);
    end[encoded.length] = CanonicalEncoding.HASHED;
    return new ReadRange(
        metadata.keys().idsFrom(encoded), metadata.keys().idsFrom(end), limit, false, false);
  }

  /** Returns the range of the hashed ids of all partitions, whose values are document ids. */
  public ReadRange hashedIds(int limit) {
    return new ReadRange(
        metadata.keys().idsFrom(HASHED), metadata.keys().idsEnd(), limit, false, false);
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
      JsonNode value = ItemIdentity.at(item, path);
      bytes.value(value.isMissingNode() ? Values.NULL : value);
    }
    return Arrays.equals(bytes.toBytes(), encoded);
  }
}
