package io.kvreactive.internal.store.image;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.mapdb.DataInput2;
import org.mapdb.volume.Volume;

/**
 * The storage of MapDB: pages of 4 KiB that are read from a file, and written only to memory until
 * a {@link Checkpoint} has written them all to the file.
 *
 * <p>One thread writes, any thread reads. A page is read from memory if it was written since the
 * last checkpoint, else from a read-only mapping of the file. During a checkpoint the pages stay in
 * memory until the file has the same bytes, so readers never wait and never see a half-written
 * page. (Writes through the file's channel are visible in the mapping; Linux and macOS keep one
 * page cache for both.)
 *
 * <p>A page of the file is compared with its checksum before its first byte is read; all reads pass
 * through {@link #page}. A damaged page fails every read with CORRUPT, and other pages stay
 * readable.
 */
public final class Pager extends Volume {
  static final int PAGE = 4096;
  private static final int PAGE_MASK = PAGE - 1;
  private static final int PAGE_SHIFT = 12;

  /** Number of pages per slice; a slice is mapped as a whole. */
  private static final int SLICE_PAGES = 1 << 14;

  private static final int SLICE_SHIFT = PAGE_SHIFT + 14;
  static final long SLICE = 1L << SLICE_SHIFT;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  /** The state of a page that is read from the file: it matched its checksum, or was written. */
  private static final byte[] COMPARED = {};

  /** The state of a page of the file that does not match its checksum. */
  private static final byte[] DAMAGED = {};

  /** The file of the pages, and their checksums. */
  public interface PageSource {
    /**
     * Reads a page from the file, not through the mapping. Must be called on the thread that
     * writes.
     */
    void read(ByteBuffer page, long offset) throws IOException;

    /** Returns the checksum of a page. Must be called on the thread that writes. */
    int checksum(long page) throws IOException;

    /**
     * Returns the checksum of a page that was not written since the file was opened. Thread-safe.
     */
    int checksumOfUnwritten(long page);

    Path path();
  }

  /** A slice: pages in memory in front of a mapping of the file, if the file extends that far. */
  private static final class Slice {
    /**
     * The bytes of each dirty page; else {@link #COMPARED}, {@link #DAMAGED}, or null for a page
     * that was neither read nor written. Never null again after a write: a reader that compares a
     * page while it is written finds its state changed.
     */
    final AtomicReferenceArray<byte @Nullable []> pages = new AtomicReferenceArray<>(SLICE_PAGES);

    volatile @Nullable ByteBuffer file;
  }

  private final @Nullable PageSource file;
  private final AtomicLong damagedPages = new AtomicLong();
  private volatile Slice[] slices = {};
  private volatile long length;
  private long[] dirty = new long[256];
  private int dirtyCount;

  /**
   * Creates a pager.
   *
   * @param file the source of clean pages, or null for a pager in memory only
   */
  public Pager(@Nullable PageSource file) {
    this.file = file;
  }

  /**
   * Sets the mapping of the file's bytes from {@code slice * SLICE} on, which ends at the end of
   * the file.
   */
  void mapped(int slice, ByteBuffer mapping) {
    ensureAvailable(((long) slice << SLICE_SHIFT) + mapping.capacity());
    slices[slice].file = mapping;
  }

  int dirtyPages() {
    return dirtyCount;
  }

  /** Returns the pages written since the last {@link #clean}, ascending. */
  long[] dirty() {
    Arrays.sort(dirty, 0, dirtyCount);
    return Arrays.copyOf(dirty, dirtyCount);
  }

  /** Returns the bytes of a dirty page; not copied. */
  byte[] dirtyPage(long page) {
    byte[] bytes = memory(page);
    if (bytes == null) {
      throw new IllegalArgumentException("page " + page + " is clean");
    }
    return bytes;
  }

  /** Drops the dirty pages, which the file has. */
  void clean() {
    for (int i = 0; i < dirtyCount; i++) {
      slice(dirty[i] << PAGE_SHIFT).pages.set((int) dirty[i] & (SLICE_PAGES - 1), COMPARED);
    }
    dirtyCount = 0;
  }

  /** Returns the number of pages that were found damaged. Thread-safe. */
  long damagedPages() {
    return damagedPages.get();
  }

  private Slice slice(long offset) {
    return slices[(int) (offset >>> SLICE_SHIFT)];
  }

  private byte @Nullable [] state(long page) {
    return slices[(int) (page >>> SLICE_SHIFT - PAGE_SHIFT)].pages.get(
        (int) page & (SLICE_PAGES - 1));
  }

  /** Returns the bytes of a dirty page; null for other pages. */
  private byte @Nullable [] memory(long page) {
    byte[] state = state(page);
    return isDirty(state) ? state : null;
  }

  private static boolean isDirty(byte @Nullable [] state) {
    return state != null && state.length == PAGE;
  }

  /**
   * Returns the bytes of a dirty page, or {@link #COMPARED} for a page whose bytes are in the file,
   * after comparing it with its checksum when it is first read.
   *
   * @throws KvException CORRUPT if the page is damaged
   */
  private byte[] page(long page) {
    byte[] state = state(page);
    return state == null || state == DAMAGED ? compare(page) : state;
  }

  private byte[] compare(long page) {
    Slice slice = slice(page << PAGE_SHIFT);
    ByteBuffer mapped = slice.file;
    int inSlice = (int) page & (SLICE_PAGES - 1);
    PageSource source = file;
    if (source == null || mapped == null || inSlice << PAGE_SHIFT >= mapped.capacity()) {
      return COMPARED; // never written: zeros
    }
    int actual = PageChecksums.of(mapped.slice(inSlice << PAGE_SHIFT, PAGE));
    int expected = source.checksumOfUnwritten(page);
    if (actual == expected) {
      byte[] before = slice.pages.compareAndExchange(inSlice, null, COMPARED);
      if (before != DAMAGED) {
        return before == null ? COMPARED : before;
      }
    } else {
      byte[] before = slice.pages.compareAndExchange(inSlice, null, DAMAGED);
      if (before == null) {
        damagedPages.incrementAndGet();
      } else if (before != DAMAGED) {
        return before; // compared by the writer, which was writing it meanwhile
      }
    }
    throw corrupt(source, page, actual, expected);
  }

  /**
   * Makes all later reads of a page fail, unless it is dirty: then the next checkpoint overwrites
   * the damage. Must be called on the thread that writes.
   */
  void markDamaged(long page) {
    if (page << PAGE_SHIFT >= length) {
      return;
    }
    byte[] before =
        slice(page << PAGE_SHIFT)
            .pages
            .getAndUpdate(
                (int) page & (SLICE_PAGES - 1), state -> isDirty(state) ? state : DAMAGED);
    if (before != DAMAGED && !isDirty(before)) {
      damagedPages.incrementAndGet();
    }
  }

  private static KvException corrupt(PageSource file, long page, int actual, int expected) {
    return new KvException(
        KvErrorCode.CORRUPT,
        "%s is damaged at offset %d: checksum %08x (expected: %08x)"
            .formatted(file.path(), page << PAGE_SHIFT, actual, expected));
  }

  private byte[] writable(long page) {
    byte[] bytes = memory(page);
    if (bytes != null) {
      return bytes;
    }
    byte[] copy = new byte[PAGE];
    PageSource source = file;
    if (source != null) {
      // not through the mapping: some file systems need space to map what was never written, and
      // lack of space there raises a signal instead of an exception
      try {
        source.read(ByteBuffer.wrap(copy), page << PAGE_SHIFT);
        // otherwise damage would get a new checksum
        int actual = PageChecksums.of(ByteBuffer.wrap(copy));
        int expected = source.checksum(page);
        if (actual != expected || state(page) == DAMAGED) {
          markDamaged(page);
          throw corrupt(source, page, actual, expected);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    slice(page << PAGE_SHIFT).pages.set((int) page & (SLICE_PAGES - 1), copy);
    if (dirtyCount == dirty.length) {
      dirty = Arrays.copyOf(dirty, 2 * dirtyCount);
    }
    dirty[dirtyCount++] = page;
    return copy;
  }

  private void readFile(long offset, byte[] target, int at, int size) {
    ByteBuffer file = slice(offset).file;
    int position = (int) (offset & SLICE - 1);
    int available = 0;
    if (file != null && position < file.capacity()) {
      available = Math.min(size, file.capacity() - position);
      file.get(position, target, at, available);
    }
    if (available < size) {
      Arrays.fill(target, at + available, at + size, (byte) 0); // never written
    }
  }

  @Override
  public void getData(long offset, byte[] target, int targetPos, int size) {
    long from = offset;
    int at = targetPos;
    int end = targetPos + size;
    while (at < end) {
      int n = Math.min(end - at, PAGE - (int) (from & PAGE_MASK));
      byte[] page = page(from >>> PAGE_SHIFT);
      if (page != COMPARED) {
        System.arraycopy(page, (int) (from & PAGE_MASK), target, at, n);
      } else {
        readFile(from, target, at, n);
      }
      from += n;
      at += n;
    }
  }

  @Override
  public void putData(long offset, byte[] source, int sourcePos, int size) {
    long to = offset;
    int at = sourcePos;
    int end = sourcePos + size;
    while (at < end) {
      int n = Math.min(end - at, PAGE - (int) (to & PAGE_MASK));
      System.arraycopy(source, at, writable(to >>> PAGE_SHIFT), (int) (to & PAGE_MASK), n);
      to += n;
      at += n;
    }
  }

  @Override
  public void putData(long offset, ByteBuffer source) {
    byte[] bytes = new byte[source.remaining()];
    source.duplicate().get(bytes);
    putData(offset, bytes, 0, bytes.length);
  }

  @Override
  public long getLong(long offset) {
    int at = (int) (offset & PAGE_MASK);
    if (at <= PAGE - Long.BYTES) {
      byte[] page = page(offset >>> PAGE_SHIFT);
      if (page != COMPARED) {
        return (long) LONG.get(page, at);
      }
      ByteBuffer file = slice(offset).file;
      int position = (int) (offset & SLICE - 1);
      if (file != null && position <= file.capacity() - Long.BYTES) {
        return file.getLong(position);
      }
    }
    return (long) LONG.get(copy(offset, Long.BYTES), 0);
  }

  @Override
  public int getInt(long offset) {
    return (int) INT.get(copy(offset, Integer.BYTES), 0);
  }

  @Override
  public byte getByte(long offset) {
    return copy(offset, 1)[0];
  }

  @Override
  public void putLong(long offset, long value) {
    int at = (int) (offset & PAGE_MASK);
    if (at <= PAGE - Long.BYTES) {
      LONG.set(writable(offset >>> PAGE_SHIFT), at, value);
    } else {
      byte[] bytes = new byte[Long.BYTES];
      LONG.set(bytes, 0, value);
      putData(offset, bytes, 0, bytes.length);
    }
  }

  @Override
  public void putInt(long offset, int value) {
    byte[] bytes = new byte[Integer.BYTES];
    INT.set(bytes, 0, value);
    putData(offset, bytes, 0, bytes.length);
  }

  @Override
  public void putByte(long offset, byte value) {
    writable(offset >>> PAGE_SHIFT)[(int) (offset & PAGE_MASK)] = value;
  }

  @Override
  public DataInput2 getDataInput(long offset, int size) {
    ByteBuffer file = slice(offset).file;
    int position = (int) (offset & SLICE - 1);
    return file != null && position + (long) size <= file.capacity() && isInFile(offset, size)
        ? new DataInput2.ByteBuffer(file, position)
        : new DataInput2.ByteArray(copy(offset, size));
  }

  /**
   * Returns true if the file has all of the bytes. It still does while the caller reads them: MapDB
   * locks a record that is read, so that a checkpoint finds the same bytes in its pages.
   */
  private boolean isInFile(long offset, int size) {
    for (long page = offset >>> PAGE_SHIFT; page << PAGE_SHIFT < offset + size; page++) {
      if (page(page) != COMPARED) {
        return false;
      }
    }
    return true;
  }

  private byte[] copy(long offset, int size) {
    byte[] bytes = new byte[size];
    getData(offset, bytes, 0, size);
    return bytes;
  }

  @Override
  public void clear(long startOffset, long endOffset) {
    for (long at = startOffset; at < endOffset; ) {
      int from = (int) (at & PAGE_MASK);
      int n = (int) Math.min(endOffset - at, PAGE - from);
      Arrays.fill(writable(at >>> PAGE_SHIFT), from, from + n, (byte) 0);
      at += n;
    }
  }

  @Override
  public void ensureAvailable(long offset) {
    if (offset <= length) {
      return;
    }
    int needed = (int) (offset + SLICE - 1 >>> SLICE_SHIFT);
    Slice[] have = slices;
    if (needed > have.length) {
      Slice[] more = Arrays.copyOf(have, needed);
      for (int i = have.length; i < needed; i++) {
        more[i] = new Slice();
      }
      slices = more;
    }
    length = offset;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public void truncate(long size) {
    throw new IllegalStateException("the image never shrinks");
  }

  @Override
  public void sync() {
    // the checkpoint follows MapDB's commit, which calls this after refreshing its header
  }

  @Override
  public void close() {
    closed.set(true);
  }

  @Override
  public int sliceSize() {
    return (int) SLICE;
  }

  @Override
  public boolean isSliced() {
    return true;
  }

  @Override
  public boolean isReadOnly() {
    return false;
  }

  @Override
  public @Nullable File getFile() {
    return null;
  }

  @Override
  public boolean getFileLocked() {
    return false;
  }
}
