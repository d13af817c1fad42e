package io.kvreactive.internal.store;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvLimits;
import io.kvreactive.RepairOptions;
import io.kvreactive.RepairReport;
import io.kvreactive.internal.shared.ClockSources;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.file.FileDisk;
import io.kvreactive.internal.store.file.IoFailures;
import io.kvreactive.internal.store.file.OverlayDisk;
import io.kvreactive.internal.store.log.LogCut;
import io.kvreactive.internal.store.log.LogRetention;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Inspects a store that is closed, and makes the repairs that its operator requests. A dry run
 * makes the same repairs on an overlay of the files in memory, which is discarded, so its report is
 * what would happen. Each repair is one commit or one new file, and so atomic even if the process
 * ends. Blocks.
 */
public final class OfflineRepair {
  private static final long MEMORY_BYTES = 64 << 20;
  private static final long SEGMENT_BYTES = 16 << 20;
  private static final int MAX_LISTED_KEYS = 100;
  private static final int MAX_PER_COMMIT = 1000;
  private static final HexFormat HEX = HexFormat.of();
  private static final byte[] ALL_READY = {(byte) SystemKeys.PREFIX, 'q', 'r'};
  private static final byte[] ALL_READY_END = {(byte) SystemKeys.PREFIX, 'q', 's'};

  private final Path directory;
  private final RepairOptions options;
  private final Disk disk;
  private final Instant wallTime;
  private final Runnable step;
  private final List<String> changes = new ArrayList<>();
  private boolean imageWanted;

  private OfflineRepair(
      Path directory, RepairOptions options, Disk disk, Instant wallTime, Runnable step) {
    this.directory = directory;
    this.options = options;
    this.disk = disk;
    this.wallTime = wallTime;
    this.step = step;
  }

  /**
   * Inspects and repairs the store of a directory.
   *
   * @param step called from time to time; may throw to stop the repair
   * @throws KvException INVALID_ARGUMENT if the directory holds no store, or for a key to delete
   *     that is not malformed; LOCKED, DISK_FULL, IO_FAILED
   */
  public static RepairReport run(Path directory, RepairOptions options, Runnable step) {
    Disk disk = options.apply() ? new FileDisk() : new OverlayDisk();
    return run(directory, options, disk, Instant.now(), step);
  }

  /** Repairs a store with other file operations and another time. */
  static RepairReport run(
      Path directory, RepairOptions options, Disk disk, Instant wallTime, Runnable step) {
    if (StoreIdentity.file(directory) == null) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "directory: " + directory + " (expected: the directory of a store)");
    }
    try {
      return new OfflineRepair(directory, options, disk, wallTime, step).run();
    } catch (IOException e) {
      throw IoFailures.of(e, directory, "repairing the store");
    }
  }

  private RepairReport run() throws IOException {
    Store store;
    try {
      LogCut cut = StoreRepair.inspectLog(directory);
      if (cut != null) {
        return damaged(cut);
      }
      store = open();
    } catch (KvException e) {
      if (e.code() != KvErrorCode.CORRUPT) {
        throw e;
      }
      return report(e.detail(), List.of(), false);
    }
    try {
      Instant time =
          store.clock().least() == 0 ? null : Instant.ofEpochMilli(store.clock().least());
      List<KvKey> unreadable = new ArrayList<>();
      Instant clock = options.clock();
      long count = look(store, clock, unreadable);
      options.deleteKeys().forEach(key -> checkDeletable(store, key.bytes()));
      for (KvKey key : options.deleteKeys()) {
        store.stage(Commit.of(new Mutation.Delete(key.bytes())));
        publish(store);
        changes.add("key " + HEX.formatHex(key.bytes()) + " (hex) is deleted");
      }
      if (clock != null) {
        setClock(store, clock.toEpochMilli());
      }
      boolean applied = options.apply() && !changes.isEmpty();
      return new RepairReport(null, time, wallTime, count, unreadable, changes, applied);
    } finally {
      store.close();
    }
  }

  /**
   * Cuts off the log if that was requested. Other repairs require a store that can be opened, and
   * so another run.
   */
  private RepairReport damaged(LogCut cut) {
    String place = "%s at offset %d: %s".formatted(cut.file(), cut.offset(), cut.what());
    if (!options.cutTail()) {
      return report(place, List.of(), false);
    }
    if (options.clock() != null || !options.deleteKeys().isEmpty()) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "the log is damaged (expected: cut the log first; then set the clock or delete keys)");
    }
    StoreRepair.Repaired done =
        options.apply() ? StoreRepair.cutLog(disk, directory, wallTime.toEpochMilli()) : null;
    long lost = Math.max(0, cut.newest() - cut.last());
    String change =
        "the log is cut off in %s at offset %d: commits after version %d are lost (%s)"
            .formatted(
                cut.file(),
                cut.offset(),
                cut.last(),
                lost == 0 ? "it is not known how many" : "at least " + lost);
    return report(done == null ? place : null, List.of(change), done != null);
  }

  private RepairReport report(@Nullable String damage, List<String> repairs, boolean applied) {
    return new RepairReport(damage, null, wallTime, 0, List.of(), repairs, applied);
  }

  private Store open() {
    long wall = wallTime.toEpochMilli();
    StoreOptions opened =
        StoreOptions.of(directory, disk, true, MEMORY_BYTES, MEMORY_BYTES, SEGMENT_BYTES)
            .withChanges(new LogRetention(Long.MAX_VALUE, Long.MAX_VALUE), false)
            .withClocks(new ClockSources(() -> wall, () -> 0, () -> 0));
    return Store.open(opened, () -> imageWanted = true);
  }

  /** Inspects all keys; returns the number of malformed ones. */
  private long look(Store store, @Nullable Instant clock, List<KvKey> unreadable) {
    long count = 0;
    long back = 0;
    long gone = 0;
    long from = store.clock().least();
    long to = clock == null ? from : clock.toEpochMilli();
    try (StoreSnapshot snapshot = store.snapshot()) {
      StoreView view = snapshot.enter().at(0); // includes expired entries
      try {
        ViewCursor cursor = view.range(new byte[0], new byte[] {(byte) SystemKeys.PREFIX}, false);
        while (cursor.next()) {
          step.run();
          long expireAt = cursor.expireAt();
          back += expireAt > to && expireAt <= from ? 1 : 0;
          gone += expireAt > from && expireAt <= to ? 1 : 0;
          KvKey key = KvKey.fromEncoded(cursor.key());
          if (!isReadable(key)) {
            count++;
            if (unreadable.size() < MAX_LISTED_KEYS) {
              unreadable.add(key);
            }
          }
        }
      } finally {
        snapshot.leave();
      }
    }
    if (back > 0) {
      changes.add(back + " keys that had expired by the old clock become visible again");
    }
    if (gone > 0) {
      changes.add(gone + " keys expire by the new clock");
    }
    return count;
  }

  /** Returns true if the bytes of a key are the canonical encoding of its parts. */
  private static boolean isReadable(KvKey key) {
    try {
      return KvKey.of(key.parts().toArray()).equals(key);
    } catch (KvException e) {
      return false;
    }
  }

  private static void checkDeletable(Store store, byte[] key) {
    if (SystemKeys.isSystem(key) || key.length == 0 || isReadable(KvKey.fromEncoded(key))) {
      throw undeletable(key, "a malformed key; kv del deletes others");
    }
    if (!isStored(store, key)) {
      throw undeletable(key, "a stored key");
    }
  }

  private static KvException undeletable(byte[] key, String expected) {
    return new KvException(
        KvErrorCode.INVALID_ARGUMENT,
        "key to delete: %s in hex (expected: %s)".formatted(HEX.formatHex(key), expected));
  }

  private static boolean isStored(Store store, byte[] key) {
    try (StoreSnapshot snapshot = store.snapshot()) {
      StoreView view = snapshot.enter();
      try {
        return view.range(key, Arrays.copyOf(key, key.length + 1), false).next();
      } finally {
        snapshot.leave();
      }
    }
  }

  private void setClock(Store store, long to) throws IOException {
    long from = store.clock().least();
    long moved = from > to ? moveMessages(store, from - to, to) : 0;
    if (moved > 0) {
      changes.add(
          moved + " queue messages are rescheduled earlier by the difference of the clocks");
    }
    new ClockSetting(store.visible(), to).write(disk, directory);
    changes.add(
        "the store's clock is set from %s to %s"
            .formatted(Instant.ofEpochMilli(from), Instant.ofEpochMilli(to)));
  }

  /**
   * Reschedules messages that were enqueued while the clock was wrong, which would be due only when
   * the right time has caught up. They are recognised by a time that is later than that of any
   * message enqueued by the new time. They remain due by the old time, so that the process may end
   * between two commits.
   */
  private long moveMessages(Store store, long back, long to) {
    long longest = TimeUnit.SECONDS.toMillis(KvLimits.DEFAULT.maxDelaySeconds());
    long latest = to + Math.max(longest, back / 2);
    long moved = 0;
    byte[] next = ALL_READY;
    while (true) {
      List<byte[]> keys = new ArrayList<>();
      List<ReadyMessage> messages = new ArrayList<>();
      next = readyAfter(store, next, latest, keys, messages);
      if (messages.isEmpty()) {
        return moved;
      }
      store.stageQueues(
          queues -> {
            for (int i = 0; i < keys.size(); i++) {
              QueueKeys queue = QueueKeys.of(QueueKeys.queueOf(keys.get(i)));
              ReadyMessage message = messages.get(i);
              queues.reschedule(queue, message, Math.max(to, message.readyAt() - back));
            }
          });
      publish(store);
      moved += messages.size();
    }
  }

  /**
   * Collects messages from a key on that are due after a time; returns the key at which the next
   * call starts.
   */
  private byte[] readyAfter(
      Store store, byte[] from, long latest, List<byte[]> keys, List<ReadyMessage> messages) {
    try (StoreSnapshot snapshot = store.snapshot()) {
      StoreView view = snapshot.enter();
      try {
        ViewCursor cursor = view.range(from, ALL_READY_END, false);
        while (cursor.next()) {
          step.run();
          if (QueueKeys.readyAt(cursor.key()) > latest) {
            keys.add(cursor.key());
            messages.add(ReadyMessage.of(cursor.key(), cursor.value()));
            if (keys.size() == MAX_PER_COMMIT) {
              return Arrays.copyOf(cursor.key(), cursor.key().length + 1);
            }
          }
        }
        return ALL_READY_END;
      } finally {
        snapshot.leave();
      }
    }
  }

  private void publish(Store store) {
    step.run();
    store.publish();
    while (imageWanted) {
      imageWanted = false;
      if (!store.image().write()) {
        KvException failure = store.health().failure();
        throw failure != null
            ? failure
            : new KvException(KvErrorCode.IO_FAILED, "the image of " + directory + " not written");
      }
      store.imageWritten();
    }
  }
}
