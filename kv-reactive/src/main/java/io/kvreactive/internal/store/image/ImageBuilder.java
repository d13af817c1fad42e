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
 * Makes a new image of entries that come in the order of their keys: faster than putting them, and
 * with full nodes. Pages go to the file without a journal as memory fills up; until {@link #finish}
 * nobody can open the image. After a failure, other than of a key's order, only {@link #abandon} is
 * left. One thread.
 */
public final class ImageBuilder implements Closeable {
  /** Keys per node, of 32: room for a few more before a node has to split. */
  private static final int NODE_SIZE = 30;

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
            NODE_SIZE,
            NODE_SIZE,
            true, // has values
            true); // and has them inside
  }

  /** Starts the first image of a directory that exists; see the other method. */
  public static ImageBuilder create(Disk disk, Path directory, long dirtyBytes) throws IOException {
    return create(disk, new ImageFiles(directory, 0), dirtyBytes);
  }

  /**
   * Starts an image, in place of one of the same name that was not finished.
   *
   * @param dirtyBytes write to the file when changed pages take this much memory
   * @throws IllegalStateException when there is another image of that name
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
   * @param key behind all before it; not copied
   * @param version the commit that wrote it
   * @param expireAt when it ends
   * @throws IllegalArgumentException when the key is not behind the one before
   */
  public void add(byte[] key, long version, KvValue value, long expireAt) throws IOException {
    checkOpen();
    byte[] before = last;
    if (before != null && Arrays.compareUnsigned(before, key) >= 0) {
      HexFormat hex = HexFormat.of();
      throw new IllegalArgumentException(
          "key: " + hex.formatHex(key) + " (expected: behind " + hex.formatHex(before) + ")");
    }
    over = true; // should this fail
    if (image.dirtyBytes() >= dirtyBytes) {
      checkpoint.flush();
    }
    nodes.put(new Pair<>(key, image.toBeBuiltIn(key, version, value, expireAt)));
    last = key;
    over = false;
  }

  /** Makes the image durable, as one that has every commit up to {@code version}, and closes it. */
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
