package io.kvreactive.internal.store.image;

import io.kvreactive.internal.store.file.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Compares the pages of an image file with their checksums, a range of pages at a time. Pages
 * changed since the last checkpoint are not in the file, and are not checked. Reads of a page that
 * was found damaged fail from then on. Confined to the thread that changes the image.
 */
public final class PageCheck {
  private static final int CHUNK_PAGES = 256;

  private final Checkpoint checkpoint;
  private final ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_PAGES * Pager.PAGE);

  /**
   * A page that does not match its checksum; or, for the checksum file, its header.
   *
   * @param file the file
   * @param offset the offset of the page
   * @param expected the recorded CRC32C
   * @param actual the CRC32C of the page
   */
  public record BadPage(Path file, long offset, int expected, int actual) {}

  /** Receives the findings. */
  public interface Visitor {
    void badPage(BadPage page);
  }

  PageCheck(Checkpoint checkpoint) {
    this.checkpoint = checkpoint;
  }

  /** Checks the whole image of a directory, which must not be open. */
  public static void all(Disk disk, Path directory, Visitor visitor) throws IOException {
    try (Checkpoint checkpoint = Checkpoint.open(disk, directory)) {
      PageCheck check = new PageCheck(checkpoint);
      check.range(0, check.pages(), visitor);
    }
  }

  /** Returns the number of pages to check, as of the last checkpoint. */
  public long pages() throws IOException {
    return Math.max(checkpoint.image().size() / Pager.PAGE, checkpoint.checksums().pages());
  }

  /**
   * Checks the pages from {@code from} (inclusive) to {@code to} (exclusive), reading them from the
   * file. The header of the checksums is checked with page 0.
   */
  public void range(long from, long to, Visitor visitor) throws IOException {
    checkpoint.settle();
    PageChecksums checksums = checkpoint.checksums();
    checksums.clear(); // checks the content of the file, not of the buffer
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
          checkpoint.pager().markDamaged(first + i);
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
      chunk.put((byte) 0); // after the end of the file
    }
  }
}
