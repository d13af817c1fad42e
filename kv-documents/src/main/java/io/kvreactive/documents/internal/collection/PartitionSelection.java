package io.kvreactive.documents.internal.collection;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.ChangeFeedOptions;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.FeedRange;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Selects items by partition: those of one partition key or a prefix of it, or those whose
 * partition keys have a hash in one of several ranges of equal size.
 *
 * @param prefix the encoded values; null for a range of hashes
 * @param values the number of encoded values
 * @param range the number of the range, from 0
 * @param ranges the number of ranges
 */
record PartitionSelection(@Nullable ByteBuffer prefix, int values, int range, int ranges) {
  private static final int HASH_BITS = 32;

  /**
   * Returns the selection of a partition key, a prefix of it or a range; null for all items.
   *
   * @throws DocumentException INVALID_ARGUMENT
   */
  static @Nullable PartitionSelection of(ChangeFeedOptions options, CollectionMetadata metadata) {
    FeedRange range = options.range();
    PartitionKey key = options.partitionKey();
    if (key == null) {
      return range == null ? null : of(range);
    }
    List<JsonNode> values = ItemIdentity.prefix(key, metadata);
    return new PartitionSelection(encoded(values, values.size()), values.size(), 0, 1);
  }

  static PartitionSelection of(FeedRange range) {
    return new PartitionSelection(null, 0, range.index(), range.count());
  }

  boolean matches(ItemIdentity item) {
    return prefix == null
        ? range == rangeOf(item, ranges)
        : prefix.equals(encoded(item.partition(), values));
  }

  /** Returns the encoding of the first values of a partition key. */
  static ByteBuffer encoded(List<JsonNode> partition, int values) {
    CanonicalEncoding bytes = new CanonicalEncoding();
    partition.subList(0, values).forEach(bytes::value);
    return ByteBuffer.wrap(bytes.toKey());
  }

  /**
   * Returns the range of an item's partition key; of its id in a collection without a partition
   * key. The positions of groups depend on this function.
   */
  static int rangeOf(ItemIdentity item, int ranges) {
    CRC32C hash = new CRC32C();
    if (item.partition().isEmpty()) {
      hash.update(item.id().getBytes(StandardCharsets.UTF_8));
    } else {
      hash.update(encoded(item.partition(), item.partition().size()));
    }
    return (int) (hash.getValue() * ranges >>> HASH_BITS);
  }
}
