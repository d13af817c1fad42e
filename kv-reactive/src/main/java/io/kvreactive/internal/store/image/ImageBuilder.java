package io.kvreactive.internal.store.image;

import io.kvreactive.KvValue;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.image.nodes.ImageRecord;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import kotlin.Pair;
import kotlin.Unit;
import org.jspecify.annotations.Nullable;
import org.mapdb.Pump;

/**
 * Builds a new image from entries in key order: faster than putting them, and with full nodes.
 * Pages are written to the file without a journal when memory fills up; the image cannot be opened
 * until {@link #finish}. After any failure except of a key's order, only {@link #abandon} is
 * allowed. Not thread-safe.
 */
public final class ImageBuilder implements Closeable {
  /**
   * Number of keys per leaf, of at most 32: leaves space for a few more before a leaf must split.
   */
  private static final int LEAF_SIZE = 30;

  /** Number of keys per inner node, of at most 64. */
  private static final int INNER_SIZE = 60;

  private final Disk disk;
  private final ImageFiles files;
  private final long dirtyBytes;
  private final Checkpoint checkpoint;
  private final SortedImage image;
  private final Pump.Sink<Pair<byte[], ImageRecord>, Unit> nodes;
  private byte @Nullable [] last;
  private boolean over;
  private boolean closed;

  private ImageBuilder(Disk disk, ImageFiles files, long dirtyBytes, Checkpoint checkpoint) {
    this.disk = disk;
    this.files = files;
    this.dirtyBytes = dirtyBytes;
    this.checkpoint = checkpoint;
    this.image = SortedImage.create(checkpoint);
    ImageRecord.KeyCodec keys = new ImageRecord.KeyCodec();
    this.nodes =
        Pump.INSTANCE.treeMap(
            image.records(),
            keys,
            new ImageRecord.Codec(),
            keys,
            LEAF_SIZE,
            INNER_SIZE,
            true, // has values
            true); // inline
  }

  /** Starts the first image of an existing directory. */
  public static ImageBuilder create(Disk disk, Path directory, long dirtyBytes) throws IOException {
    return create(disk, new ImageFiles(directory, 0), dirtyBytes);
  }

  /**
   * Starts an image, replacing an unfinished one of the same name.
   *
   * @param dirtyBytes the memory of changed pages at which they are written to the file
   * @throws IllegalStateException if there is a finished image of that name
   */
  public static ImageBuilder create(Disk disk, ImageFiles files, long dirtyBytes)
      throws IOException {
    Checkpoint checkpoint = Checkpoint.create(disk, files);
    try {
      return new ImageBuilder(disk, files, dirtyBytes, checkpoint);
    } catch (RuntimeException | Error e) {
      checkpoint.close();
      throw e;
    }
  }

  /**
   * Adds an entry.
   *
   * @param key the key, after all earlier ones; not copied
   * @param version the commit that wrote it
   * @param expireAt the expiry in milliseconds since 1970; 0 for none
   * @throws IllegalArgumentException if the key is not after the previous one
   */
  public void add(byte[] key, long version, KvValue value, long expireAt) throws IOException {
    checkOpen();
    byte[] before = last;
    if (before != null && Arrays.compareUnsigned(before, key) >= 0) {
      HexFormat hex = HexFormat.of();
      throw new IllegalArgumentException(
          "key: " + hex.formatHex(key) + " (expected: after " + hex.formatHex(before) + ")");
    }
    over = true; // stays true if this fails
    if (image.dirtyBytes() >= dirtyBytes) {
      checkpoint.flush();
    }
    nodes.put(new Pair<>(key, image.toBeBuiltIn(key, version, value, expireAt)));
    last = key;
    over = false;
  }

  /**
   * Makes the image durable, with {@code version} as the version up to which it has every commit,
   * and closes it.
   */
  public void finish(long version) throws IOException {
    checkOpen();
    over = true;
    nodes.create();
    image.adopt(nodes.getRootRecidRecid$mapdb(), version);
    checkpoint.finish();
    closed = true;
    checkpoint.close();
  }

  private void checkOpen() {
    if (over) {
      throw new IllegalStateException(
          files.image() + " takes no more: finished, abandoned or failed");
    }
  }

  /** Closes and deletes the files, unless the image is finished. */
  public void abandon() throws IOException {
    if (!closed) {
      over = true;
      closed = true;
      checkpoint.close();
      Checkpoint.delete(disk, files);
    }
  }

  /** Abandons the image, unless it is finished. */
  @Override
  public void close() throws IOException {
    abandon();
  }
}
