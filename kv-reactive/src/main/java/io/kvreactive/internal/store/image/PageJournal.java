package io.kvreactive.internal.store.image;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.store.file.DataFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * The journal of the pages of a checkpoint.
 *
 * <pre>
 * 0  long  magic "KVRJRNL2"
 * 8  long  number of pages
 * 16  long  length of the image file
 * 24  int   CRC32C of the page numbers and the pages
 * 28  int   CRC32C of the first 28 bytes
 * 32  page numbers (long each), then the pages
 * </pre>
 *
 * <p>The header is written when everything else is on the medium, and is zeros otherwise. So a
 * journal with a header is complete or damaged; a damaged one must not be ignored, because the
 * image may be half written. The journals of older releases have the magic "KVRPAGES" and one
 * checksum, of the first 24 bytes and the rest, at offset 24. An incomplete one looks like a
 * damaged one, and is ignored.
 */
final class PageJournal implements Closeable {
  private static final long MAGIC = 0x4B56524A524E4C32L; // "KVRJRNL2"
  private static final long OLD_MAGIC = 0x4B56525041474553L; // "KVRPAGES"
  private static final int HEADER = 32;
  private static final int BODY_SUM = 24;
  private static final int HEADER_SUM = 28;
  private static final int CHUNK_PAGES = 256;

  private final DataFile file;
  private final Path path;
  private final ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_PAGES * Pager.PAGE);

  PageJournal(DataFile file, Path path) {
    this.file = file;
    this.path = path;
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
    retire();
    file.sync(); // otherwise the header of the previous journal could stand before these pages
    CRC32C crc = new CRC32C();
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
    file.sync();
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    header.putLong(MAGIC).putLong(pages.length).putLong(length).putInt((int) crc.getValue());
    header.putInt(PageChecksums.of(header.slice(0, HEADER_SUM)));
    file.write(header.flip(), 0);
    file.sync();
  }

  /**
   * Reads the pages back.
   *
   * @return false if the journal is empty or incomplete
   * @throws KvException CORRUPT if it is damaged
   */
  boolean replay(Target target) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    file.read(header, 0);
    header.clear();
    long magic = header.getLong(0);
    if (magic == 0 && header.mismatch(ByteBuffer.allocate(HEADER)) < 0) {
      return false;
    }
    boolean isOld = magic == OLD_MAGIC;
    if (!isOld
        && (magic != MAGIC
            || header.getInt(HEADER_SUM) != PageChecksums.of(header.slice(0, HEADER_SUM)))) {
      throw damaged(0, "the header");
    }
    long count = header.getLong(8);
    boolean isThere = count >= 0 && count <= (file.size() - HEADER) / (Long.BYTES + Pager.PAGE);
    if (!isThere && !isOld) {
      throw damaged(file.size(), "the end");
    }
    if (!isThere) {
      return false;
    }
    ByteBuffer index = ByteBuffer.allocate(Math.toIntExact(Long.BYTES * count));
    file.read(index, HEADER);
    index.flip();
    CRC32C crc = new CRC32C();
    if (isOld) {
      crc.update(header.slice(0, BODY_SUM));
    }
    crc.update(index.duplicate());
    forEachChunk(count, (chunk, first, n) -> crc.update(chunk));
    if (isOld && crc.getValue() != header.getLong(BODY_SUM)) {
      return false;
    }
    if (!isOld && (int) crc.getValue() != header.getInt(BODY_SUM)) {
      throw damaged(HEADER, "a page");
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

  private KvException damaged(long offset, String what) {
    return new KvException(
        KvErrorCode.CORRUPT,
        "%s is damaged from offset %d on: %s does not match its checksum, and the image may be half written"
            .formatted(path, offset, what));
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
