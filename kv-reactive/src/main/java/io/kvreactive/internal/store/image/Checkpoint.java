package io.kvreactive.internal.store.image;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.store.file.DataFile;
import io.kvreactive.internal.store.file.Disk;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * Brings the dirty pages of a {@link Pager} to the image file, all or none. First the pages go to a
 * journal next to the image, with a checksum, and to the medium; then to their places. A crash
 * before the journal is whole leaves the old image; after it, opening writes the pages again.
 *
 * <pre>
 * journal:
 *  0  long  magic "KVRPAGES"
 *  8  long  number of pages
 * 16  long  length of the image file
 * 24  long  CRC32C of the first 24 bytes, the page numbers and the pages
 * 32  page numbers (long each), then the pages
 * </pre>
 */
final class Checkpoint implements Closeable {
  private static final long MAGIC = 0x4B56525041474553L; // "KVRPAGES"
  private static final int HEADER = 32;
  private static final int CHUNK_PAGES = 256;
  private static final long GROWTH = 1L << 20;

  private final DataFile image;
  private final DataFile journal;
  private final Pager pager;
  private final ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_PAGES * Pager.PAGE);
  private long imageLength;
  private boolean journalNeeded; // the image may be half written, the journal is whole

  private Checkpoint(DataFile image, DataFile journal) {
    this.image = image;
    this.journal = journal;
    this.pager = new Pager(image::read);
  }

  /** The pages of the image. */
  Pager pager() {
    return pager;
  }

  /** Opens the two files, finishes a checkpoint that a crash interrupted, and shows the image. */
  static Checkpoint open(Disk disk, Path directory) throws IOException {
    DataFile image = disk.open(directory.resolve("image.db"));
    DataFile journal = disk.open(directory.resolve("image.journal"));
    Checkpoint checkpoint = new Checkpoint(image, journal);
    try {
      disk.syncDirectory(directory);
      checkpoint.finishInterrupted();
      checkpoint.imageLength = image.size();
      checkpoint.map(0, checkpoint.imageLength);
      return checkpoint;
    } catch (IOException | RuntimeException e) {
      checkpoint.close();
      throw e;
    }
  }

  /**
   * Writes all dirty pages and marks them clean. When it fails, nothing has changed for readers and
   * it can be tried again; what the journal holds is then brought to its places first, because
   * until that is done it is the only cure for an image that is half written.
   */
  void write() throws IOException {
    if (journalNeeded) {
      finishInterrupted();
      journalNeeded = false;
    }
    long[] pages = pager.dirty();
    if (pages.length == 0) {
      return;
    }
    long length = Math.max(imageLength, roundUp(pager.length()));
    writeJournal(pages, length);
    journalNeeded = true;
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
    image.sync();
    journalNeeded = false;
    // spares the next open from writing it all again; harmless where it does not reach the medium
    journal.write(ByteBuffer.allocate(HEADER), 0);
    if (length > imageLength) {
      map(imageLength, length);
      imageLength = length;
    }
    pager.clean();
  }

  /** How many pages from {@code i} on follow each other in the file, at most a chunk. */
  private static int run(long[] pages, int i) {
    int n = 1;
    while (n < CHUNK_PAGES && i + n < pages.length && pages[i + n] == pages[i] + n) {
      n++;
    }
    return n;
  }

  private void writeJournal(long[] pages, long length) throws IOException {
    CRC32C crc = new CRC32C();
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    header.putLong(MAGIC).putLong(pages.length).putLong(length);
    crc.update(header.duplicate().flip());
    ByteBuffer index = ByteBuffer.allocate(Long.BYTES * pages.length);
    index.asLongBuffer().put(pages);
    crc.update(index.duplicate());
    journal.write(index, HEADER);
    long at = HEADER + (long) Long.BYTES * pages.length;
    for (int i = 0; i < pages.length; ) {
      chunk.clear();
      for (; i < pages.length && chunk.hasRemaining(); i++) {
        chunk.put(pager.dirtyPage(pages[i]));
      }
      chunk.flip();
      crc.update(chunk.duplicate());
      int n = chunk.remaining();
      journal.write(chunk, at);
      at += n;
    }
    header.putLong(crc.getValue());
    journal.write(header.flip(), 0);
    journal.sync();
  }

  private void finishInterrupted() throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    journal.read(header, 0);
    header.flip();
    if (header.remaining() < HEADER || header.getLong(0) != MAGIC) {
      return;
    }
    long count = header.getLong(8);
    long size = journal.size();
    if (count < 0 || count > (size - HEADER) / (Long.BYTES + Pager.PAGE)) {
      return;
    }
    ByteBuffer index = ByteBuffer.allocate(Math.toIntExact(Long.BYTES * count));
    journal.read(index, HEADER);
    index.flip();
    CRC32C crc = new CRC32C();
    crc.update(header.duplicate().limit(24));
    crc.update(index.duplicate());
    long data = HEADER + Long.BYTES * count;
    forEachChunk(count, data, (chunk, first, n) -> crc.update(chunk));
    if (crc.getValue() != header.getLong(24)) {
      return; // the process ended before the journal was whole; the image is as it was
    }
    long length = header.getLong(16);
    if (image.size() < length) {
      image.resize(length);
    }
    forEachChunk(
        count,
        data,
        (chunk, first, n) -> {
          for (int i = 0; i < n; i++) {
            ByteBuffer page = chunk.slice(i * Pager.PAGE, Pager.PAGE);
            image.write(page, index.getLong(Long.BYTES * (first + i)) * Pager.PAGE);
          }
        });
    image.sync();
  }

  private interface ChunkVisitor {
    void accept(ByteBuffer chunk, int firstPage, int pages) throws IOException;
  }

  private void forEachChunk(long count, long data, ChunkVisitor visitor) throws IOException {
    for (int i = 0; i < count; i += CHUNK_PAGES) {
      int n = (int) Math.min(CHUNK_PAGES, count - i);
      chunk.clear().limit(n * Pager.PAGE);
      journal.read(chunk, data + (long) i * Pager.PAGE);
      visitor.accept(chunk.flip(), i, n);
    }
  }

  private void map(long from, long length) throws IOException {
    if (length % Pager.PAGE != 0) {
      throw new KvException(
          KvErrorCode.CORRUPT, "image of " + length + " bytes (expected: whole pages)");
    }
    for (long slice = from / Pager.SLICE; slice * Pager.SLICE < length; slice++) {
      long start = slice * Pager.SLICE;
      pager.mapped((int) slice, image.map(start, Math.min(Pager.SLICE, length - start)));
    }
  }

  private static long roundUp(long length) {
    return (length + GROWTH - 1) / GROWTH * GROWTH;
  }

  @Override
  public void close() throws IOException {
    try (image) {
      journal.close();
    }
  }
}
