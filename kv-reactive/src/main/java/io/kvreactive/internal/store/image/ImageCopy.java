package io.kvreactive.internal.store.image;

import io.kvreactive.internal.store.file.DataFile;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.file.ReadOnlyDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** Copies an image that is not open. */
public final class ImageCopy {
  private static final int CHUNK = 4 << 20;

  private ImageCopy() {}

  /**
   * Copies the files durably, as the first image of another directory. The caller must sync the
   * directory's entries.
   *
   * @param step called for each chunk; may throw to stop the copy
   */
  public static void copy(Path source, Disk disk, Path target, Runnable step) throws IOException {
    ImageFiles from = ImageFiles.current(source);
    ImageFiles to = new ImageFiles(target, 0);
    copyFile(from.image(), disk, to.image(), step);
    copyFile(from.journal(), disk, to.journal(), step);
    copyFile(from.sums(), disk, to.sums(), step);
  }

  private static void copyFile(Path source, Disk disk, Path target, Runnable step)
      throws IOException {
    if (!Files.exists(source)) {
      return;
    }
    ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK);
    try (DataFile from = new ReadOnlyDisk().open(source);
        DataFile to = disk.open(target)) {
      for (long at = 0; at < from.size(); at += CHUNK) {
        step.run();
        from.read(chunk.clear(), at);
        to.write(chunk.flip(), at);
      }
      to.sync();
    }
  }
}
