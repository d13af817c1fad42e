package io.kvreactive.internal.store.image;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.store.file.DataFile;
import io.kvreactive.internal.store.file.Disk;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Writes the dirty pages of a {@link Pager} to the image file atomically. The pages are first
 * written to a journal next to the image, with a checksum, and synced; then to their places, with
 * the checksum of each in a third file. A crash before the journal is complete leaves the old
 * image; after it, opening writes the pages and their checksums again.
 */
final class Checkpoint implements Closeable, Pager.PageSource {
  private static final int CHUNK_PAGES = 256;
  private static final long GROWTH = 1L << 20;

  private final Path path;
  private final DataFile image;
  private final PageJournal journal;
  private final PageChecksums checksums;
  private final Pager pager;
  private final ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_PAGES * Pager.PAGE);
  private long imageLength;
  private boolean journalNeeded; // the image may be half written, and the journal is complete

  private Checkpoint(Disk disk, ImageFiles files) throws IOException {
    this.path = files.image();
    this.image = disk.open(path);
    this.journal = new PageJournal(disk.open(files.journal()), files.journal());
    this.checksums = new PageChecksums(disk.open(files.sums()), files.sums());
    this.pager = new Pager(this);
  }

  /** Opens the image of a directory. */
  static Checkpoint open(Disk disk, Path directory) throws IOException {
    return open(disk, ImageFiles.current(directory));
  }

  /** Opens the files, finishes a checkpoint that a crash interrupted, and maps the image. */
  static Checkpoint open(Disk disk, ImageFiles files) throws IOException {
    Checkpoint checkpoint = new Checkpoint(disk, files);
    try {
      disk.syncDirectory(files.directory());
      checkpoint.checksums.open(checkpoint.image.size() == 0);
      checkpoint.finishInterrupted();
      checkpoint.checksums.map();
      checkpoint.show(checkpoint.soundLength());
      return checkpoint;
    } catch (IOException | RuntimeException e) {
      checkpoint.close();
      throw e;
    }
  }

  /**
   * Creates an image that cannot be opened until {@link #finish}.
   *
   * @throws IllegalStateException if there is an image that was finished
   */
  static Checkpoint create(Disk disk, ImageFiles files) throws IOException {
    Checkpoint checkpoint = new Checkpoint(disk, files);
    try {
      checkpoint.checksums.build(checkpoint.image.size() == 0);
      checkpoint.image.resize(0);
      checkpoint.journal.empty();
      disk.syncDirectory(files.directory());
      return checkpoint;
    } catch (IOException | RuntimeException e) {
      checkpoint.close();
      throw e;
    }
  }

  /** Deletes the files. A crash meanwhile leaves nothing that could be opened as an image. */
  static void delete(Disk disk, ImageFiles files) throws IOException {
    disk.delete(files.image());
    disk.syncDirectory(files.directory());
    disk.delete(files.journal());
    disk.delete(files.sums());
    disk.syncDirectory(files.directory());
  }

  /** Returns the pages of the image. */
  Pager pager() {
    return pager;
  }

  @Override
  public Path path() {
    return path;
  }

  @Override
  public void read(ByteBuffer page, long offset) throws IOException {
    image.read(page, offset);
  }

  @Override
  public int checksum(long page) throws IOException {
    return checksums.get(page);
  }

  @Override
  public int checksumOfUnwritten(long page) {
    return checksums.ofUnwritten(page);
  }

  DataFile image() {
    return image;
  }

  PageChecksums checksums() {
    return checksums;
  }

  /**
   * Writes all dirty pages and marks them clean. If it fails, nothing has changed for readers and
   * it can be retried.
   */
  void write() throws IOException {
    settle();
    long[] pages = pager.dirty();
    if (pages.length == 0) {
      return;
    }
    long length = lengthWithDirtyPages();
    journal.write(pager, pages, length);
    journalNeeded = true;
    place(pages, length);
    image.sync();
    checksums.sync();
    journalNeeded = false;
    journal.retire();
    show(length);
    pager.clean();
  }

  /**
   * Writes the pages of the journal to their places after a failed {@link #write}. Until then only
   * the journal can repair a half-written image.
   */
  void settle() throws IOException {
    if (journalNeeded) {
      finishInterrupted();
      journalNeeded = false;
    }
  }

  /**
   * Writes all dirty pages without a journal and marks them clean, for an image that cannot be
   * opened yet.
   */
  void flush() throws IOException {
    long length = lengthWithDirtyPages();
    place(pager.dirty(), length);
    show(length);
    pager.clean();
  }

  /** Makes a created image durable and available for opening. */
  void finish() throws IOException {
    flush();
    image.sync();
    checksums.sync();
    checksums.finish();
  }

  private long lengthWithDirtyPages() {
    return Math.max(imageLength, (pager.length() + GROWTH - 1) / GROWTH * GROWTH);
  }

  private void place(long[] pages, long length) throws IOException {
    if (length > imageLength) {
      image.resize(length);
    }
    for (int i = 0; i < pages.length; ) {
      int run = run(pages, i);
      chunk.clear();
      for (int k = i; k < i + run; k++) {
        chunk.put(pager.dirtyPage(pages[k]));
      }
      image.write(chunk.flip(), pages[i] * Pager.PAGE);
      i += run;
    }
    for (long page : pages) {
      checksums.set(page, PageChecksums.of(ByteBuffer.wrap(pager.dirtyPage(page))));
    }
    checksums.flush();
  }

  /** Returns the number of consecutive pages from index {@code i} on, at most a chunk. */
  private static int run(long[] pages, int i) {
    int n = 1;
    while (n < CHUNK_PAGES && i + n < pages.length && pages[i + n] == pages[i] + n) {
      n++;
    }
    return n;
  }

  private void finishInterrupted() throws IOException {
    boolean whole =
        journal.replay(
            new PageJournal.Target() {
              @Override
              public void length(long length) throws IOException {
                if (image.size() < length) {
                  image.resize(length);
                }
              }

              @Override
              public void page(long page, ByteBuffer bytes) throws IOException {
                checksums.set(page, PageChecksums.of(bytes.duplicate()));
                image.write(bytes, page * Pager.PAGE);
              }
            });
    if (whole) {
      checksums.flush();
      image.sync();
      checksums.sync();
    }
  }

  private long soundLength() throws IOException {
    long length = image.size();
    if (length % Pager.PAGE != 0 || length < checksums.pages() * Pager.PAGE) {
      throw new KvException(
          KvErrorCode.CORRUPT,
          "%s has %d bytes (expected: whole pages, at least %d of them)"
              .formatted(path, length, checksums.pages()));
    }
    return length;
  }

  private void show(long length) throws IOException {
    if (length == imageLength) {
      return;
    }
    for (long slice = imageLength / Pager.SLICE; slice * Pager.SLICE < length; slice++) {
      long start = slice * Pager.SLICE;
      pager.mapped((int) slice, image.map(start, Math.min(Pager.SLICE, length - start)));
    }
    imageLength = length;
  }

  @Override
  public void close() throws IOException {
    try (image;
        journal) {
      checksums.close();
    }
  }
}
