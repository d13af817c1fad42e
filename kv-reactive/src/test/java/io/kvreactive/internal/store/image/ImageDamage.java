package io.kvreactive.internal.store.image;

import io.kvreactive.KvValue;
import io.kvreactive.internal.store.file.FileDisk;
import io.kvreactive.internal.store.image.nodes.ImageRecord;
import io.kvreactive.internal.store.memtable.ExpiryKey;
import java.io.IOException;
import java.nio.file.Path;
import org.mapdb.BTreeMap;

/** Falsifies the contents of an image with valid page checksums. */
public final class ImageDamage {
  private ImageDamage() {}

  /** A change of an open image. */
  public interface Change {
    void apply(SortedImage image) throws Exception;
  }

  /** Changes the image in a directory. */
  public static void change(Path directory, Change change) throws Exception {
    try (SortedImage image = SortedImage.open(new FileDisk(), directory)) {
      change.apply(image);
      image.checkpoint();
    }
  }

  /** Counts an absent key. Also indexes the key if it has an expiry. */
  public static void count(SortedImage image, byte[] key, long expireAt) {
    KvValue value = new KvValue(KvValue.Encoding.BYTES, new byte[1]);
    ImageRecord unused = image.toBeBuiltIn(key, 1, value, expireAt);
  }

  /** Removes a record from the index of expiry. */
  @SuppressWarnings("unchecked")
  public static void unindex(SortedImage image, byte[] key, long expireAt) throws Exception {
    var field = SortedImage.class.getDeclaredField("expiry");
    field.setAccessible(true);
    ((BTreeMap<byte[], byte[]>) field.get(image)).remove(ExpiryKey.of(expireAt, key));
  }

  /** The file of an image. */
  public static Path file(Path directory) throws IOException {
    try (SortedImage image = SortedImage.open(new FileDisk(), directory)) {
      return image.file();
    }
  }

  /** Returns the first record that expires; null if there is none. */
  public static java.util.Map.Entry<byte[], ImageRecord> expiring(SortedImage image) {
    var records = image.range(new byte[0], new byte[] {(byte) 0xFF}, false);
    while (records.hasNext()) {
      var record = records.next();
      if (record.getValue().expireAt() != 0) {
        return record;
      }
    }
    throw new AssertionError("no record expires");
  }
}
