package io.kvreactive.internal.store;

import io.kvreactive.internal.store.file.DataFile;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.file.FileDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * A disk behind a page cache as in Linux: a process reads its writes, synced or not. A failed sync
 * drops the changed pages and marks them clean, so that the next sync succeeds. {@link #powerLoss}
 * shows the contents of the medium.
 */
final class CachedDisk implements Disk {
  private static final int PAGE = 512;

  private final FileDisk cache = new FileDisk();
  private final Map<Path, byte[]> medium = new HashMap<>();
  private final Map<Path, Set<Long>> changed = new HashMap<>();

  /** The next sync of a file whose name contains this fails. */
  volatile String brokenFor = "nothing";

  /** Called with the name of a file before it is synced. */
  volatile Consumer<String> beforeSync = file -> {};

  /** Returns true if a file whose name contains this has pages that are not on the medium. */
  boolean isChanged(String name) {
    return changed.entrySet().stream()
        .anyMatch(e -> e.getKey().toString().contains(name) && !e.getValue().isEmpty());
  }

  /** Writes the contents of the medium to another directory. */
  void powerLoss(Path target) throws IOException {
    Files.createDirectories(target);
    for (Map.Entry<Path, byte[]> file : medium.entrySet()) {
      Files.write(target.resolve(file.getKey().getFileName()), file.getValue());
    }
  }

  /** Marks all changed pages as clean without writing them to the medium. */
  void loseTrack() {
    changed.clear();
  }

  @Override
  public DataFile open(Path file) throws IOException {
    changed.computeIfAbsent(file, path -> new HashSet<>());
    return new CachedFile(file, cache.open(file));
  }

  @Override
  public void delete(Path file) throws IOException {
    medium.remove(file);
    changed.remove(file);
    cache.delete(file);
  }

  @Override
  public void syncDirectory(Path directory) {}

  private final class CachedFile extends WrappedFile {
    private final Path path;

    CachedFile(Path path, DataFile file) {
      super(file);
      this.path = path;
    }

    private Set<Long> pages() {
      return changed.computeIfAbsent(path, file -> new HashSet<>());
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
      for (long page = position / PAGE; page * PAGE < position + source.remaining(); page++) {
        pages().add(page);
      }
      super.write(source, position);
    }

    @Override
    public void sync() throws IOException {
      String name = path.getFileName().toString();
      beforeSync.accept(name);
      if (name.contains(brokenFor)) {
        brokenFor = "nothing";
        pages().clear();
        throw new IOException("Input/output error");
      }
      byte[] now = Files.readAllBytes(path);
      byte[] kept = java.util.Arrays.copyOf(medium.getOrDefault(path, new byte[0]), now.length);
      for (long page : new TreeSet<>(pages())) {
        int at = (int) page * PAGE;
        if (at < now.length) {
          System.arraycopy(now, at, kept, at, Math.min(PAGE, now.length - at));
        }
      }
      medium.put(path, kept);
      pages().clear();
    }
  }
}
