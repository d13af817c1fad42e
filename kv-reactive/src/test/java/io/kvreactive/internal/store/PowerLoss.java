package io.kvreactive.internal.store;

import io.kvreactive.internal.store.RecordingDisk.Op;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * State of a directory after a power loss. Synced data is present. Of the data written since the
 * last sync of its file, any combination of sectors may be present; the same holds for sizes. Files
 * created or deleted since the last sync of the directory may or may not exist.
 */
public final class PowerLoss {
  private static final int SECTOR = 512;

  private static final class FileState {
    byte[] content = {};
    boolean named;
    boolean doomed;
  }

  private final Random random;
  private final Map<String, FileState> files = new HashMap<>();

  private PowerLoss(Random random) {
    this.random = random;
  }

  /** Writes the state after the first {@code count} operations into {@code target}. */
  public static void materialise(List<Op> ops, int count, Random random, Path target)
      throws IOException {
    PowerLoss loss = new PowerLoss(random);
    List<Op> done = ops.subList(0, count);
    Map<String, Integer> lastSync = new HashMap<>();
    int lastDirectorySync = -1;
    for (int i = 0; i < done.size(); i++) {
      if (done.get(i) instanceof Op.Sync sync) {
        lastSync.put(sync.file(), i);
      } else if (done.get(i) instanceof Op.SyncDirectory) {
        lastDirectorySync = i;
      }
    }
    for (int i = 0; i < done.size(); i++) {
      loss.apply(done.get(i), i, lastSync, lastDirectorySync);
    }
    loss.write(target);
  }

  private void apply(Op op, int index, Map<String, Integer> lastSync, int lastDirectorySync) {
    if (op instanceof Op.Create create) {
      FileState file = files.computeIfAbsent(create.file(), name -> new FileState());
      if (!file.named || file.doomed) {
        file.named = index < lastDirectorySync || random.nextBoolean();
        file.doomed = false;
      }
    } else if (op instanceof Op.Delete delete) {
      FileState file = files.get(delete.file());
      if (file != null) {
        boolean durable = index < lastDirectorySync;
        if (durable) {
          files.remove(delete.file());
        } else if (random.nextBoolean()) {
          file.named = false;
        } else {
          file.doomed = true;
        }
      }
    } else if (op instanceof Op.Write write) {
      write(write, index < lastSync.getOrDefault(write.file(), -1));
    } else if (op instanceof Op.Resize resize) {
      if (index < lastSync.getOrDefault(resize.file(), -1) || random.nextBoolean()) {
        FileState file = files.get(resize.file());
        file.content = Arrays.copyOf(file.content, Math.toIntExact(resize.size()));
      }
    }
  }

  private void write(Op.Write write, boolean durable) {
    FileState file = files.get(write.file());
    boolean allOrNothing = random.nextBoolean();
    boolean all = random.nextBoolean();
    for (int from = 0; from < write.bytes().length; ) {
      long at = write.position() + from;
      int n = (int) Math.min(write.bytes().length - from, SECTOR - at % SECTOR);
      if (durable || (allOrNothing ? all : random.nextBoolean())) {
        int end = Math.toIntExact(at + n);
        if (end > file.content.length) {
          file.content = Arrays.copyOf(file.content, end);
        }
        System.arraycopy(write.bytes(), from, file.content, (int) at, n);
      }
      from += n;
    }
  }

  private void write(Path target) throws IOException {
    for (Map.Entry<String, FileState> file : files.entrySet()) {
      if (file.getValue().named) {
        Files.write(target.resolve(file.getKey()), file.getValue().content);
      }
    }
  }
}
