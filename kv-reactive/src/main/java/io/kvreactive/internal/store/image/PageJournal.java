package io.kvreactive.internal.store.image;

import io.kvreactive.internal.store.file.DataFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The journal of the pages of a checkpoint, complete or ignored.
 *
 * <pre>
 * 0  long  magic "KVRPAGES"
 * 8  long  number of pages
 * 16  long  length of the image file
 * 24  long  CRC32C of the first 24 bytes, the page numbers and the pages
 * 32  page numbers (long each), then the pages
 * </pre>
 */
final class PageJournal implements Closeable {
  private static final long MAGIC = 0x4B56525041474553L; // "KVRPAGES"
  private static final int HEADER = 32;
  private static final int CHUNK_PAGES = 256;

  private final DataFile file;
  private final ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_PAGES * Pager.PAGE);

  PageJournal(DataFile file) {
    this.file = file;
  }

  /** Receives the length of the image, then the pages of a journal in ascending order. */
  interface Target {
    void length(long length) throws IOException;

    void page(long page, ByteBuffer bytes) throws IOException;
  }

  /**
   * Writes dirty pages durably.
   *
   * @param length the new length of the image
   */
  void write(Pager pager, long[] pages, long length) throws IOException {
    CRC32C crc = new CRC32C();
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    header.putLong(MAGIC).putLong(pages.length).putLong(length);
    crc.update(header.duplicate().flip());
    ByteBuffer index = ByteBuffer.allocate(Long.BYTES * pages.length);
    index.asLongBuffer().put(pages);
    crc.update(index.duplicate());
    file.write(index, HEADER);
    long at = HEADER + (long) Long.BYTES * pages.length;
    for (int i = 0; i < pages.length; ) {
      chunk.clear();
      for (; i < pages.length && chunk.hasRemaining(); i++) {
        chunk.put(pager.dirtyPage(pages[i]));
      }
      chunk.flip();
      crc.update(chunk.duplicate());
      int n = chunk.remaining();
      file.write(chunk, at);
      at += n;
    }
    header.putLong(crc.getValue());
    file.write(header.flip(), 0);
    file.sync();
  }

  /**
   * Reads the pages back.
   *
   * @return false if the journal is empty or incomplete
   */
  boolean replay(Target target) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    file.read(header, 0);
    header.flip();
    if (header.remaining() < HEADER || header.getLong(0) != MAGIC) {
      return false;
    }
    long count = header.getLong(8);
    if (count < 0 || count > (file.size() - HEADER) / (Long.BYTES + Pager.PAGE)) {
      return false;
    }
    ByteBuffer index = ByteBuffer.allocate(Math.toIntExact(Long.BYTES * count));
    file.read(index, HEADER);
    index.flip();
    CRC32C crc = new CRC32C();
    crc.update(header.duplicate().limit(24));
    crc.update(index.duplicate());
    forEachChunk(count, (chunk, first, n) -> crc.update(chunk));
    if (crc.getValue() != header.getLong(24)) {
      return false;
    }
    rewrite(header, index, count);
    target.length(header.getLong(16));
    forEachChunk(
        count,
        (chunk, first, n) -> {
          for (int i = 0; i < n; i++) {
            target.page(
                index.getLong(Long.BYTES * (first + i)), chunk.slice(i * Pager.PAGE, Pager.PAGE));
          }
        });
    return true;
  }

  /**
   * Makes the journal durable again before a page is written to its place. A sync of the previous
   * process may have failed: then pages of the file are not on the medium although they count as
   * clean, and syncing them would do nothing.
   */
  private void rewrite(ByteBuffer header, ByteBuffer index, long count) throws IOException {
    file.write(index.duplicate(), HEADER);
    long data = HEADER + Long.BYTES * count;
    forEachChunk(
        count,
        (pages, first, n) -> file.write(pages.duplicate(), data + (long) first * Pager.PAGE));
    file.write(header.duplicate(), 0);
    file.sync();
  }

  private interface ChunkVisitor {
    void accept(ByteBuffer chunk, int firstPage, int pages) throws IOException;
  }

  private void forEachChunk(long count, ChunkVisitor visitor) throws IOException {
    long data = HEADER + Long.BYTES * count;
    for (int i = 0; i < count; i += CHUNK_PAGES) {
      int n = (int) Math.min(CHUNK_PAGES, count - i);
      chunk.clear().limit(n * Pager.PAGE);
      file.read(chunk, data + (long) i * Pager.PAGE);
      visitor.accept(chunk.flip(), i, n);
    }
  }

  /**
   * Marks the journal as applied. This spares the next open from applying it again, and is harmless
   * if it does not reach the medium.
   */
  void retire() throws IOException {
    file.write(ByteBuffer.allocate(HEADER), 0);
  }

  /** Empties an existing journal. */
  void empty() throws IOException {
    file.resize(0);
    file.sync();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
