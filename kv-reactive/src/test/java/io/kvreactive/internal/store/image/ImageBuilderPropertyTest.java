package io.kvreactive.internal.store.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.kvreactive.KvValue;
import io.kvreactive.internal.store.file.FileDisk;
import io.kvreactive.internal.store.image.nodes.ImageRecord;
import io.kvreactive.internal.store.memtable.ExpiryKey;
import io.kvreactive.testing.ShortTries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** A built image equals an image written key by key, also after further changes. */
class ImageBuilderPropertyTest {
  private static final byte[] START = {};
  private static final byte[] END = {(byte) 0xFF};

  private record Entry(long version, KvValue value, long expireAt) {}

  private static NavigableMap<byte[], Entry> entries(Random random, int size) {
    NavigableMap<byte[], Entry> entries = new TreeMap<>(Arrays::compareUnsigned);
    while (entries.size() < size) {
      entries.put(key(random), entry(random));
    }
    return entries;
  }

  private static byte[] key(Random random) {
    byte[] key = new byte[2 + random.nextInt(random.nextInt(50) == 0 ? 500 : 10)];
    random.nextBytes(key);
    key[0] &= 0x7F;
    return key;
  }

  private static Entry entry(Random random) {
    int size = random.nextInt(ImageRecord.MAX_INLINE + 2);
    if (random.nextInt(40) == 0) {
      size = random.nextInt(10) == 0 ? random.nextInt(200_000) : random.nextInt(5000);
    }
    byte[] bytes = new byte[size];
    random.nextBytes(bytes);
    KvValue.Encoding encoding = random.nextBoolean() ? KvValue.Encoding.BYTES : KvValue.Encoding.V8;
    long expireAt = random.nextInt(3) == 0 ? 1 + random.nextInt(50) : 0;
    return new Entry(random.nextInt(Integer.MAX_VALUE), new KvValue(encoding, bytes), expireAt);
  }

  private static void build(Path directory, Map<byte[], Entry> entries, int dirtyPages)
      throws IOException {
    try (ImageBuilder builder =
        ImageBuilder.create(new FileDisk(), directory, dirtyPages * (long) Pager.PAGE)) {
      for (Map.Entry<byte[], Entry> entry : entries.entrySet()) {
        Entry added = entry.getValue();
        builder.add(entry.getKey(), added.version, added.value, added.expireAt);
      }
      builder.finish(77);
    }
  }

  private static void verify(
      SortedImage image, NavigableMap<byte[], Entry> entries, Random random) {
    verifyRange(image, entries, START, END);
    for (int i = 0; i < 5; i++) {
      byte[] start = key(random);
      byte[] end = key(random);
      if (Arrays.compareUnsigned(start, end) < 0) {
        verifyRange(image, entries.subMap(start, true, end, false), start, end);
      }
      assertThat(image.find(start) != null).isEqualTo(entries.containsKey(start));
    }
    entries.forEach((key, entry) -> verify(image, image.find(key), entry));
    assertThat(image.keys()).isEqualTo(entries.size());
    NavigableSet<byte[]> expiring = new TreeSet<>(Arrays::compareUnsigned);
    entries.forEach(
        (key, entry) -> {
          if (entry.expireAt != 0) {
            expiring.add(ExpiryKey.of(entry.expireAt, key));
          }
        });
    Iterator<byte[]> index = image.expiry(new byte[0]);
    expiring.forEach(expected -> assertThat(index.next()).isEqualTo(expected));
    assertThat(index.hasNext()).isFalse();
  }

  private static void verifyRange(
      SortedImage image, NavigableMap<byte[], Entry> entries, byte[] start, byte[] end) {
    for (boolean reverse : new boolean[] {false, true}) {
      Iterator<Map.Entry<byte[], ImageRecord>> found = image.range(start, end, reverse);
      (reverse ? entries.descendingMap() : entries)
          .forEach(
              (key, entry) -> {
                Map.Entry<byte[], ImageRecord> next = found.next();
                assertThat(next.getKey()).isEqualTo(key);
                verify(image, next.getValue(), entry);
              });
      assertThat(found.hasNext()).isFalse();
    }
  }

  private static void verify(SortedImage image, ImageRecord record, Entry entry) {
    assertThat(record).isNotNull();
    assertThat(record.version()).isEqualTo(entry.version);
    assertThat(record.expireAt()).isEqualTo(entry.expireAt);
    assertThat(image.load(record)).isEqualTo(entry.value);
  }

  private static void change(SortedImage image, NavigableMap<byte[], Entry> entries, Random random)
      throws IOException {
    List<byte[]> keys = new ArrayList<>(entries.keySet());
    int inTwenty = random.nextInt(21); // from only puts to only removes
    for (int i = random.nextInt(2000); i > 0; i--) {
      byte[] key =
          keys.isEmpty() || random.nextBoolean()
              ? key(random)
              : keys.get(random.nextInt(keys.size()));
      if (random.nextInt(20) < inTwenty) {
        entries.remove(key);
        image.remove(key);
      } else {
        Entry entry = entry(random);
        entries.put(key, entry);
        image.put(key, entry.version, entry.value, entry.expireAt);
      }
      if (random.nextInt(500) == 0) {
        image.checkpoint();
      }
    }
    image.checkpoint();
  }

  @Property(tries = 30)
  @ShortTries(6)
  void buildsAnImageEqualToOneOfPuts(
      @ForAll long seed,
      @ForAll @IntRange(max = 3000) int size,
      @ForAll @IntRange(min = 1, max = 500) int dirtyPages)
      throws IOException {
    Random random = new Random(seed);
    Path directory = Files.createTempDirectory("image");
    NavigableMap<byte[], Entry> entries = entries(random, size);
    build(directory, entries, dirtyPages);
    for (int round = 0; round < 3; round++) {
      PageCheck.all(new FileDisk(), directory, bad -> fail(bad.toString()));
      try (SortedImage image = SortedImage.open(new FileDisk(), directory)) {
        assertThat(image.version()).isEqualTo(77 + round);
        verify(image, entries, random);
        image.advance(78 + round, 0);
        change(image, entries, random);
        verify(image, entries, random);
      }
    }
    Checkpoint.delete(new FileDisk(), new ImageFiles(directory, 0));
    Files.delete(directory);
  }

  @Property(tries = 20)
  @ShortTries(5)
  void rebuildsTheRemainingKeysOfAnImage(
      @ForAll long seed,
      @ForAll @IntRange(max = 3000) int size,
      @ForAll @IntRange(min = 1, max = 500) int oneStaysOf)
      throws IOException {
    Random random = new Random(seed);
    Path directory = Files.createTempDirectory("image");
    Path rebuilt = Files.createTempDirectory("rebuilt");
    NavigableMap<byte[], Entry> entries = entries(random, size);
    build(directory, entries, 100);
    try (SortedImage image = SortedImage.open(new FileDisk(), directory);
        ImageBuilder builder = ImageBuilder.create(new FileDisk(), rebuilt, 100_000)) {
      for (byte[] key : List.copyOf(entries.keySet())) {
        if (random.nextInt(oneStaysOf) > 0) {
          entries.remove(key);
          image.remove(key);
        }
      }
      verify(image, entries, random);
      Iterator<Map.Entry<byte[], ImageRecord>> all = image.range(START, END, false);
      while (all.hasNext()) {
        Map.Entry<byte[], ImageRecord> next = all.next();
        ImageRecord record = next.getValue();
        builder.add(next.getKey(), record.version(), image.load(record), record.expireAt());
      }
      builder.finish(5);
    }
    try (SortedImage image = SortedImage.open(new FileDisk(), rebuilt)) {
      verify(image, entries, random);
    }
    for (Path each : List.of(directory, rebuilt)) {
      Checkpoint.delete(new FileDisk(), new ImageFiles(each, 0));
      Files.delete(each);
    }
  }

  /** Sizes around those that fill a level of nodes with 30 keys. */
  @Property(tries = 30)
  @ShortTries(8)
  void buildsAWholeImageOfFewFullNodes(@ForAll long seed, @ForAll @IntRange(max = 100) int size)
      throws IOException {
    buildsAnImageEqualToOneOfPuts(seed, size, 1);
  }
}
