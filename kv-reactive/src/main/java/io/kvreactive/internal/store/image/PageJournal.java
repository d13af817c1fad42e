package io.kvreactive.internal.store.image;

import io.kvreactive.internal.store.file.DataFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Pages on their way to the image, whole or not at all.
 *
 * <pre>
 *  0  long  magic "KVRPAGES"
 *  8  long  number of pages
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

  /** Takes the pages of a journal in ascending order, after the length of the image. */
  interface Target {
    void length(long length) throws IOException;

    void page(long page, ByteBuffer bytes) throws IOException;
  }

  /** Writes dirty pages and makes them durable; {@code length} is what the image grows to. */
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
   * @return false when there are none, or the process ended before they were whole
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
   * Brings the journal to the medium again before a page goes to its place. A sync of the process
   * before may have failed: then the pages of the file are not on the medium although they count as
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
   * Says that the image has the pages. It spares the next open from writing them again, and is
   * harmless where it does not reach the medium.
   */
  void retire() throws IOException {
    file.write(ByteBuffer.allocate(HEADER), 0);
  }

  /** Makes a journal that someone left here empty. */
  void empty() throws IOException {
    file.resize(0);
    file.sync();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
