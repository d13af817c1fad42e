package io.kvreactive.internal.store.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A file that is only read, overlaid by written pages in memory. */
final class OverlayFile implements DataFile {
  private static final int PAGE = 4096;

  private final Path path;
  private final Runnable changed;
  private final @Nullable FileChannel file;
  private final NavigableMap<Long, byte[]> pages = new TreeMap<>(); // by offset
  private long fileSize; // part of the file that is still visible
  private long size;

  OverlayFile(Path path, Runnable changed) throws IOException {
    this.path = path;
    this.changed = changed;
    this.file = Files.exists(path) ? FileChannel.open(path, StandardOpenOption.READ) : null;
    this.fileSize = file == null ? 0 : file.size();
    this.size = fileSize;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public void read(ByteBuffer target, long position) throws IOException {
    long at = position;
    while (target.hasRemaining() && at < size) {
      long page = at - at % PAGE;
      byte[] written = pages.get(page);
      Long next = pages.higherKey(page);
      long end = written != null ? page + PAGE : next == null ? size : next;
      int n = (int) Math.min(target.remaining(), Math.min(end, size) - at);
      if (written != null) {
        target.put(written, (int) (at - page), n);
      } else {
        readFile(target, at, n);
      }
      at += n;
    }
  }

  private void readFile(ByteBuffer target, long position, int length) throws IOException {
    int end = target.position() + length;
    int limit = target.limit();
    int available = (int) Math.max(0, Math.min(length, fileSize - position));
    int from = target.position();
    target.limit(from + available);
    while (file != null && target.hasRemaining()) {
      if (file.read(target, position + target.position() - from) < 0) {
        break;
      }
    }
    target.limit(limit);
    while (target.position() < end) {
      target.put((byte) 0);
    }
  }

  @Override
  public void write(ByteBuffer source, long position) throws IOException {
    changed.run();
    long at = position;
    while (source.hasRemaining()) {
      long page = at - at % PAGE;
      int n = (int) Math.min(source.remaining(), page + PAGE - at);
      source.get(writable(page), (int) (at - page), n);
      at += n;
    }
    size = Math.max(size, at);
  }

  private byte[] writable(long page) throws IOException {
    byte[] written = pages.get(page);
    if (written == null) {
      written = new byte[PAGE];
      readFile(ByteBuffer.wrap(written), page, PAGE);
      pages.put(page, written);
    }
    return written;
  }

  @Override
  public void sync() {}

  @Override
  public void resize(long to) throws IOException {
    if (to < size) {
      long last = to - to % PAGE;
      byte[] cut = to > last ? writable(last) : new byte[0];
      for (int i = (int) (to - last); i < cut.length; i++) {
        cut[i] = 0;
      }
      pages.tailMap(to, true).clear();
      fileSize = Math.min(fileSize, to);
    }
    changed.run();
    size = to;
  }

  @Override
  public ByteBuffer map(long position, long length) throws IOException {
    NavigableMap<Long, byte[]> written =
        pages.subMap(position - position % PAGE, true, position + length, false);
    if (file == null || position + length > fileSize) {
      ByteBuffer copy = ByteBuffer.allocateDirect(Math.toIntExact(length));
      read(copy, position);
      return copy.clear();
    }
    return written.isEmpty()
        ? file.map(MapMode.READ_ONLY, position, length)
        : mapBehind(written, position, length);
  }

  /** Maps the file copy-on-write: only written pages take memory. */
  private ByteBuffer mapBehind(NavigableMap<Long, byte[]> written, long position, long length)
      throws IOException {
    try (FileChannel writable =
        FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer mapped = writable.map(MapMode.PRIVATE, position, length);
      written.forEach(
          (at, page) -> {
            int from = (int) Math.max(0, position - at);
            int to = (int) Math.min(PAGE, position + length - at);
            mapped.put((int) (at + from - position), page, from, to - from);
          });
      return mapped;
    }
  }

  @Override
  public void close() throws IOException {
    if (file != null) {
      file.close();
    }
  }
}
