package io.kvreactive.documents.internal.collection;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Versionstamp;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.internal.StoredKeys;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.CollectionRecord;
import io.kvreactive.documents.internal.store.CollectionRecord.LongIds;
import io.kvreactive.spi.ReadRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Keys of items and ranges of partitions, compared with partition keys and ids. */
class PartitionPrefixPropertyTest {
  private static final int PATHS = 3;
  private static final String LONG = "x".repeat(300);

  @Provide
  Arbitrary<List<Object>> keys() {
    return Arbitraries.<Object>of("", "a", "a\0", "a\0b", "\uFFFF", LONG, LONG + "\0", 0.0, 255.0)
        .injectNull(0.1)
        .list()
        .ofSize(PATHS);
  }

  @Provide
  Arbitrary<String> ids() {
    return Arbitraries.of("i", "\0", "\uFFFFj", LONG, LONG + "\0", "a" + LONG + LONG);
  }

  private static CollectionMetadata metadata(LongIds form) {
    CollectionRecord first =
        CollectionRecord.first(
            "1", CollectionDefinition.DEFAULT.withPartitionKey("/a", "/b", "/c"), Map.of());
    return new CollectionMetadata(
        "kvi",
        "c",
        form == LongIds.GROUPED ? first : StoredKeys.ofEarlierBuild(first),
        Versionstamp.parse("00000000000000010000"));
  }

  private static byte[] key(List<Object> partition, String id, CollectionMetadata metadata) {
    return ItemIdentity.of(id, new PartitionKey(partition), metadata).key(metadata);
  }

  private static boolean has(ReadRange range, byte[] key) {
    return Arrays.compareUnsigned(range.start(), key) <= 0
        && Arrays.compareUnsigned(key, range.end()) < 0;
  }

  @Property
  void rangesHaveTheIdsOfThePartition(
      @ForAll LongIds form,
      @ForAll("keys") List<Object> partition,
      @ForAll @IntRange(min = 1, max = PATHS) int values,
      @ForAll("keys") List<Object> others,
      @ForAll @IntRange(max = PATHS) int common,
      @ForAll("ids") String id) {
    CollectionMetadata metadata = metadata(form);
    PartitionPrefix prefix =
        new PartitionPrefix(new PartitionKey(partition.subList(0, values)), metadata);
    List<Object> item = new ArrayList<>(partition.subList(0, common));
    item.addAll(others.subList(common, PATHS));
    byte[] key = key(item, id, metadata);

    boolean belongs = item.subList(0, values).equals(partition.subList(0, values));
    boolean isShort = has(prefix.ids(1), key);
    boolean isLong = has(prefix.longIds(1), key);
    assertThat(isShort && isLong).isFalse();
    if (prefix.longIdsAreGrouped()) {
      assertThat(isShort || isLong).isEqualTo(belongs);
    } else if (isShort) {
      assertThat(belongs).isTrue();
    } else if (belongs) {
      assertThat(isLong).isTrue();
    }
  }

  @Property
  void keysOfDifferentItemsAreDifferent(
      @ForAll LongIds form,
      @ForAll("keys") List<Object> partition,
      @ForAll("ids") String id,
      @ForAll("keys") List<Object> others,
      @ForAll @IntRange(max = PATHS) int common,
      @ForAll("ids") String otherId) {
    CollectionMetadata metadata = metadata(form);
    List<Object> other = new ArrayList<>(partition.subList(0, common));
    other.addAll(others.subList(common, PATHS));

    assertThat(Arrays.equals(key(partition, id, metadata), key(other, otherId, metadata)))
        .isEqualTo(partition.equals(other) && id.equals(otherId));
  }
}
