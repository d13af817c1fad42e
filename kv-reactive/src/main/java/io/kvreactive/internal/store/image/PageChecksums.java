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
 * The checksums of the image's pages, in a file beside it. Each is stored as the difference to the
 * checksum of a page of zeros, so that pages that were never written need no entry.
 *
 * <pre>
 * 0  long  magic "KVRSUMS1"; "KVRBUILD" until an image that is being built is finished
 * 8  int   for each page: CRC32C of the page, xor CRC32C of a page of zeros
 * </pre>
 *
 * <p>Changes are collected in one block of the file, so setting ascending pages takes few writes.
 * Confined to the thread that writes pages, except {@link #ofUnwritten}.
 */
final class PageChecksums implements Closeable {
  static final long WHOLE = 0x4B565253554D5331L; // "KVRSUMS1"
  private static final long BUILDING = 0x4B56524255494C44L; // "KVRBUILD"
  private static final int HEADER = Long.BYTES;
  private static final int BLOCK = 4096;
  private static final int OF_ZEROS = of(ByteBuffer.allocate(Pager.PAGE));

  private final DataFile file;
  private final Path path;
  private final ByteBuffer block = ByteBuffer.allocate(BLOCK);
  private long blockAt = -1;
  private int changedFrom = BLOCK;
  private int changedTo;
  private ByteBuffer[] mapped = {};

  PageChecksums(DataFile file, Path path) {
    this.file = file;
    this.path = path;
  }

  static int of(ByteBuffer page) {
    CRC32C crc = new CRC32C();
    crc.update(page);
    return (int) crc.getValue();
  }

  /** Starts the file of a new image, or checks that it belongs to a finished one. */
  void open(boolean newImage) throws IOException {
    long magic = magic();
    if (magic == 0 && newImage) {
      writeMagic(WHOLE);
    } else if (magic != WHOLE) {
      throw new KvException(
          KvErrorCode.CORRUPT,
          path
              + (magic == BUILDING
                  ? " belongs to an unfinished image"
                  : " is missing or is not the checksums of an image"));
    }
  }

  /**
   * Starts the file of an image that will be built. The image cannot be opened until {@link
   * #finish}.
   */
  void build(boolean newImage) throws IOException {
    if (magic() != BUILDING && !(newImage && magic() == 0)) {
      throw new IllegalStateException(path.getParent() + " already contains a finished image");
    }
    file.resize(0);
    writeMagic(BUILDING);
  }

  void finish() throws IOException {
    writeMagic(WHOLE);
  }

  private long magic() throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    file.read(header, 0);
    return header.getLong(0);
  }

  private void writeMagic(long magic) throws IOException {
    clear();
    file.write(header(magic), 0);
    file.sync();
  }

  private static ByteBuffer header(long magic) {
    return ByteBuffer.allocate(HEADER).putLong(magic).flip();
  }

  /** Reports a header that is not that of a finished image's checksums. */
  void checkHeader(PageCheck.Visitor visitor) throws IOException {
    int expected = of(header(WHOLE));
    int actual = of(header(magic()));
    if (actual != expected) {
      visitor.badPage(new PageCheck.BadPage(path, 0, expected, actual));
    }
  }

  /** Maps the file for {@link #ofUnwritten}. */
  void map() throws IOException {
    long size = file.size();
    ByteBuffer[] parts = new ByteBuffer[(int) ((size + Pager.SLICE - 1) / Pager.SLICE)];
    for (int i = 0; i < parts.length; i++) {
      long start = i * Pager.SLICE;
      parts[i] = file.map(start, Math.min(Pager.SLICE, size - start));
    }
    mapped = parts;
  }

  /**
   * Returns the checksum of a page that was not set since {@link #map}. Thread-safe: it reads a
   * mapping, so it holds no checksums on the heap and an interrupt does not close the file.
   */
  int ofUnwritten(long page) {
    long at = HEADER + Integer.BYTES * page;
    int part = (int) (at / Pager.SLICE);
    int position = (int) (at % Pager.SLICE);
    boolean isStored = part < mapped.length && position <= mapped[part].capacity() - Integer.BYTES;
    return (isStored ? mapped[part].getInt(position) : 0) ^ OF_ZEROS;
  }

  /** Returns the number of pages that have entries in the file; pages of zeros may follow. */
  long pages() throws IOException {
    return Math.max(0, file.size() - HEADER) / Integer.BYTES;
  }

  int get(long page) throws IOException {
    return block.getInt(load(page)) ^ OF_ZEROS;
  }

  /** Sets the checksum of a page; {@link #flush} writes it to the file. */
  void set(long page, int sum) throws IOException {
    int at = load(page);
    block.putInt(at, sum ^ OF_ZEROS);
    changedFrom = Math.min(changedFrom, at);
    changedTo = Math.max(changedTo, at + Integer.BYTES);
  }

  /** Loads the block of a page's entry. */
  private int load(long page) throws IOException {
    long at = HEADER + Integer.BYTES * page;
    int inBlock = (int) (at % BLOCK);
    if (at - inBlock != blockAt) {
      flush();
      clear();
      block.clear();
      file.read(block, at - inBlock);
      while (block.hasRemaining()) {
        block.put((byte) 0);
      }
      blockAt = at - inBlock;
    }
    return inBlock;
  }

  /** Writes the changes. If this fails, they are discarded and can be set again. */
  void flush() throws IOException {
    if (changedFrom < changedTo) {
      int from = changedFrom;
      ByteBuffer changed = block.slice(from, changedTo - from);
      long at = blockAt;
      clear();
      file.write(changed, at + from);
      blockAt = at;
    }
  }

  /** Discards the current block, which is then read again. */
  void clear() {
    blockAt = -1;
    changedFrom = BLOCK;
    changedTo = 0;
  }

  void sync() throws IOException {
    file.sync();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
