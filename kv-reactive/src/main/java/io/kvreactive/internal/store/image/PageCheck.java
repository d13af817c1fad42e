package io.kvreactive.internal.store.image;

import io.kvreactive.internal.store.file.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Compares the pages of an image file with their checksums, a range of pages at a time. What has
 * changed since the last checkpoint is not in the file, and so not looked at. On the thread that
 * changes the image.
 */
public final class PageCheck {
  private static final int CHUNK_PAGES = 256;

  private final Checkpoint checkpoint;
  private final ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_PAGES * Pager.PAGE);

  /**
   * A page that is not what was written; or the header of the checksums, when that is the file.
   *
   * @param file which
   * @param offset where the page begins
   * @param expected the CRC32C that was noted down
   * @param actual the CRC32C of what is there
   */
  public record BadPage(Path file, long offset, int expected, int actual) {}

  /** Takes what was found. */
  public interface Visitor {
    void badPage(BadPage page);
  }

  PageCheck(Checkpoint checkpoint) {
    this.checkpoint = checkpoint;
  }

  /** Checks the whole image of a directory, which is not open. */
  public static void all(Disk disk, Path directory, Visitor visitor) throws IOException {
    try (Checkpoint checkpoint = Checkpoint.open(disk, directory)) {
      PageCheck check = new PageCheck(checkpoint);
      check.range(0, check.pages(), visitor);
    }
  }

  /** How many pages there are to check, as of the last checkpoint. */
  public long pages() throws IOException {
    return Math.max(checkpoint.image().size() / Pager.PAGE, checkpoint.checksums().pages());
  }

  /**
   * Checks the pages from {@code from} (inclusive) to {@code to} (exclusive), reading them from the
   * file. Page 0 comes with the header of the checksums.
   */
  public void range(long from, long to, Visitor visitor) throws IOException {
    checkpoint.settle();
    PageChecksums checksums = checkpoint.checksums();
    checksums.forget(); // what is in the file counts, not what was
    if (from == 0) {
      checksums.checkHeader(visitor);
    }
    for (long first = from; first < to; first += CHUNK_PAGES) {
      int n = (int) Math.min(CHUNK_PAGES, to - first);
      read(first, n);
      for (int i = 0; i < n; i++) {
        int actual = PageChecksums.of(chunk.slice(i * Pager.PAGE, Pager.PAGE));
        int expected = checksums.get(first + i);
        if (actual != expected) {
          visitor.badPage(
              new BadPage(checkpoint.path(), (first + i) * Pager.PAGE, expected, actual));
        }
      }
    }
  }

  private void read(long first, int n) throws IOException {
    chunk.clear().limit(n * Pager.PAGE);
    checkpoint.image().read(chunk, first * Pager.PAGE);
    while (chunk.hasRemaining()) {
      chunk.put((byte) 0); // behind the end of the file
    }
  }
}
