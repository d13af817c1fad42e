package io.kvreactive.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.RestoreOptions;
import io.kvreactive.internal.store.backup.Backup;
import io.kvreactive.internal.store.backup.Restore;
import io.kvreactive.internal.store.file.DataFile;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.internal.store.log.LogRetention;
import io.kvreactive.internal.store.memtable.VersionedValue;
import io.kvreactive.internal.store.verify.Verification;
import io.kvreactive.spi.StoredChange;
import io.kvreactive.testing.Tries;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One changed byte or bit of a file of a store or backup: every read, feed, backup, compaction and
 * restore is right, or fails with CORRUPT and the file. Nothing is wrong or missing without an
 * error.
 */
class ChangedByteTest {
  private static final Logger LOG = LoggerFactory.getLogger(ChangedByteTest.class);
  private static final LogRetention ALL = new LogRetention(Long.MAX_VALUE, Long.MAX_VALUE);
  private static final HexFormat HEX = HexFormat.of();
  private static final byte[] END = {(byte) 0xFF};

  @TempDir Path temp;
  private final Random random = new Random(29);
  private final StoreModel model = new StoreModel(random);
  private final AtomicBoolean writeImage = new AtomicBoolean();
  private final Map<String, Integer> failed = new TreeMap<>(); // by file, for the report
  private Path stopped;
  private Path interrupted;
  private Path backup;
  private TreeMap<String, String> entries;
  private List<String> expiries;
  private List<String> changes;

  /** A disk that becomes full within a checkpoint. */
  private static final class StoppingDisk implements Disk {
    private final Disk disk = new UnsyncedDisk();
    int imageWritesLeft = Integer.MAX_VALUE;

    @Override
    public DataFile open(Path file) throws IOException {
      boolean isImage = file.toString().endsWith("image.db");
      return new WrappedFile(disk.open(file)) {
        @Override
        public void write(ByteBuffer source, long position) throws IOException {
          if (isImage && imageWritesLeft-- <= 0) {
            throw new IOException("No space left on device");
          }
          super.write(source, position);
        }
      };
    }

    @Override
    public void delete(Path file) throws IOException {
      disk.delete(file);
    }

    @Override
    public void syncDirectory(Path directory) {}
  }

  private Store open(Disk disk, Path directory) {
    StoreOptions options = StoreOptions.of(directory, disk, true, 60_000, 400_000, 40_000);
    Store store =
        Store.open(
            options.withChanges(ALL, false).withClocks(model.clocks()), () -> writeImage.set(true));
    store.start();
    return store;
  }

  /**
   * Creates a stopped store with a clock setting, a copy of it as killed within a checkpoint, and a
   * backup.
   */
  @BeforeEach
  void build() throws IOException {
    stopped = temp.resolve("stopped");
    backup = temp.resolve("backup");
    interrupted = Files.createDirectory(temp.resolve("interrupted"));
    StoppingDisk disk = new StoppingDisk();
    Store store = open(disk, stopped);
    new ClockSetting(1, model.now()).write(disk, stopped);
    commit(store, 400);
    try (Backup running = Backup.start(store, disk, backup, 1 << 20)) {
      while (running.page(100)) {
        model.commitTo(store);
        store.publish();
      }
      running.finish(() -> {});
    }
    while (!writeImage.get()) {
      model.commitTo(store);
      store.publish();
    }
    disk.imageWritesLeft = 5;
    assertThat(store.image().write()).isFalse();
    copy(stopped, interrupted);
    disk.imageWritesLeft = Integer.MAX_VALUE;
    commit(store, 20);
    store.close();
    Path copy = copyOf(stopped);
    Store whole = open(new UnsyncedDisk(), copy);
    entries = new TreeMap<>(scan(whole, false));
    expiries = expiries(whole);
    changes = changes(whole);
    whole.close();
  }

  private void commit(Store store, int commits) {
    for (int i = 0; i < commits; i++) {
      model.commitTo(store);
      store.publish();
      if (writeImage.getAndSet(false)) {
        assertThat(store.image().write()).isTrue();
        store.imageWritten();
      }
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    for (Path file : files(from)) {
      if (!file.endsWith("lock")) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }

  private Path copyOf(Path from) throws IOException {
    Path to = Files.createTempDirectory(temp, "copy");
    copy(from, to);
    return to;
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.sorted().toList();
    }
  }

  private static Map<String, String> scan(Store store, boolean reverse) {
    try (StoreSnapshot snapshot = store.snapshot()) {
      Map<String, String> found = new TreeMap<>();
      List<String> keys = new ArrayList<>();
      ViewCursor cursor = snapshot.enter().range(new byte[0], END, reverse);
      while (cursor.next()) {
        keys.add(HEX.formatHex(cursor.key()));
        found.put(keys.get(keys.size() - 1), text(cursor));
      }
      if (reverse) {
        Collections.reverse(keys);
      }
      assertThat(keys).isSorted().doesNotHaveDuplicates();
      return found;
    }
  }

  private static String text(ViewCursor entry) {
    return entry.version()
        + " "
        + entry.expireAt()
        + " "
        + entry.value().encoding()
        + HEX.formatHex(entry.value().bytes());
  }

  private static List<String> expiries(Store store) {
    try (StoreSnapshot snapshot = store.snapshot()) {
      ExpiryScan scan = store.scanExpired(snapshot, new byte[0], Integer.MAX_VALUE);
      return scan.expired().stream().map(e -> HEX.formatHex(e.key()) + e.version()).toList();
    }
  }

  private static List<String> changes(Store store) {
    List<String> found = new ArrayList<>();
    ChangeCursor cursor = store.changes(0);
    boolean atEnd = false;
    while (!atEnd) {
      atEnd =
          cursor.read(
              10_000,
              commit -> {
                found.add(text(commit));
                return true;
              });
    }
    return found;
  }

  private static String text(CommitRecord commit) {
    StringBuilder text = new StringBuilder(commit.version() + " " + commit.millis());
    for (StoredChange change : commit.effects()) {
      byte[] value = change.value() == null ? new byte[0] : change.value().bytes();
      text.append(" " + change.kind() + HEX.formatHex(change.key()) + Arrays.hashCode(value));
    }
    return text.toString();
  }

  /**
   * Runs an operation.
   *
   * @return its result; null if it failed with CORRUPT and a file of the directory
   */
  private <T> T orCorrupt(Path directory, Path changed, Callable<T> operation) throws Exception {
    try {
      return operation.call();
    } catch (KvException e) {
      assertThat(e.code()).as("%s", e).isEqualTo(KvErrorCode.CORRUPT);
      assertThat(e.detail()).contains(directory.toString());
      failed.merge(kind(changed), 1, Integer::sum);
      return null;
    }
  }

  private static String kind(Path file) {
    return file.getFileName().toString().replaceAll("[0-9a-f]{16}", "N");
  }

  /**
   * Changes a random byte or bit of a file of a random kind; mostly of its content, if it is
   * sparse.
   */
  private Path change(Path directory) throws IOException {
    Map<String, List<Path>> kinds = new TreeMap<>();
    for (Path each : files(directory)) {
      if (Files.size(each) > 0) {
        kinds.computeIfAbsent(kind(each), kind -> new ArrayList<>()).add(each);
      }
    }
    List<Path> files = List.copyOf(kinds.values()).get(random.nextInt(kinds.size()));
    Path file = files.get(random.nextInt(files.size()));
    byte[] bytes = Files.readAllBytes(file);
    int at = random.nextInt(bytes.length);
    for (int tries = 0; tries < 10 && bytes[at] == 0; tries++) {
      at = random.nextInt(bytes.length);
    }
    bytes[at] ^= (byte) (random.nextBoolean() ? 1 << random.nextInt(8) : 1 + random.nextInt(255));
    Files.write(file, bytes);
    return file;
  }

  private void readAll(Path source) throws Exception {
    Path directory = copyOf(source);
    Path changed = change(directory);
    Path copied = Files.createTempDirectory(temp, "verified");
    copy(directory, copied);
    int before = failed.values().stream().mapToInt(Integer::intValue).sum();
    Store store = orCorrupt(directory, changed, () -> open(new UnsyncedDisk(), directory));
    if (store != null) {
      try {
        readAll(store, directory, changed);
      } finally {
        store.close();
      }
    }
    int after = failed.values().stream().mapToInt(Integer::intValue).sum();
    try (Verification verification = Verification.of(copied)) {
      while (verification.step(1_000_000_000)) {
        // until it is done
      }
      assertThat(verification.report().sound() && after > before)
          .as("%s is refused, but verify finds nothing", changed)
          .isFalse();
    }
    delete(directory);
    delete(copied);
  }

  private void readAll(Store store, Path directory, Path changed) throws Exception {
    for (boolean reverse : new boolean[] {false, true}) {
      Map<String, String> found = orCorrupt(directory, changed, () -> scan(store, reverse));
      assertThat(found == null || found.equals(entries)).as("scan, %s", changed).isTrue();
    }
    for (int i = 0; i < 2; i++) { // a damaged page is never served, the first or any other time
      for (Map.Entry<String, String> entry : entries.entrySet()) {
        String found = orCorrupt(directory, changed, () -> get(store, entry.getKey()));
        assertThat(found == null || found.equals(entry.getValue())).as("get, %s", changed).isTrue();
      }
    }
    List<String> expired = orCorrupt(directory, changed, () -> expiries(store));
    assertThat(expired == null || expired.equals(expiries)).as("expiry, %s", changed).isTrue();
    List<String> fed = orCorrupt(directory, changed, () -> changes(store));
    assertThat(fed == null || fed.equals(changes)).as("changes, %s", changed).isTrue();

    Path target = directory.resolveSibling(directory.getFileName() + "-backup");
    Boolean saved = orCorrupt(directory, changed, () -> backUp(store, target));
    if (saved != null) {
      assertThat(restored(target)).as("backup, %s", changed).isEqualTo(entries);
      delete(target);
    }
    Compaction compaction = orCorrupt(directory, changed, () -> store.image().compaction());
    if (compaction != null) {
      Boolean done = orCorrupt(directory, changed, () -> compact(store, compaction));
      if (done == null) {
        compaction.abandon();
      } else {
        assertThat(scan(store, false)).as("compaction, %s", changed).isEqualTo(entries);
      }
    }
  }

  private static String get(Store store, String hexKey) {
    byte[] key = HEX.parseHex(hexKey);
    try (StoreSnapshot snapshot = store.snapshot()) {
      VersionedValue found = snapshot.enter().get(key);
      return found == null
          ? "none"
          : found.version()
              + " "
              + found.expireAt()
              + " "
              + found.value().encoding()
              + HEX.formatHex(found.value().bytes());
    }
  }

  private static boolean backUp(Store store, Path target) throws IOException {
    try (Backup running = Backup.start(store, new UnsyncedDisk(), target, 1 << 20)) {
      while (running.page(1000)) {
        // until it is complete
      }
      running.finish(() -> {});
      return true;
    }
  }

  private Map<String, String> restored(Path source) throws IOException {
    Path target = source.resolveSibling(source.getFileName() + "-restored");
    Restore.run(new UnsyncedDisk(), source, target, RestoreOptions.DEFAULT, () -> {});
    Store store = open(new UnsyncedDisk(), target);
    Map<String, String> found = scan(store, false);
    store.close();
    delete(target);
    return found;
  }

  private static boolean compact(Store store, Compaction compaction) throws IOException {
    while (!compaction.step(1_000_000_000)) {
      // until it is complete
    }
    store.image().replace(compaction);
    store.imageReplaced();
    return true;
  }

  private void restore() throws Exception {
    Map<String, String> whole = restored(backup);
    Path directory = copyOf(backup);
    Path changed = change(directory);
    Map<String, String> found = orCorrupt(directory, changed, () -> restored(directory));
    assertThat(found == null || found.equals(whole)).as("restore, %s", changed).isTrue();
    delete(directory);
  }

  private static void delete(Path directory) throws IOException {
    if (Files.exists(directory)) {
      for (Path file : files(directory)) {
        Files.delete(file);
      }
      Files.delete(directory);
    }
  }

  private void change(int changes) throws Exception {
    for (int i = 0; i < changes; i++) {
      switch (i % 4) {
        case 0, 1 -> readAll(stopped);
        case 2 -> readInterrupted();
        default -> restore();
      }
    }
    LOG.info("failed operations by the kind of the changed file: {}", failed);
    assertThat(failed).isNotEmpty();
  }

  /** A store that was killed within a checkpoint has another end than the stopped one. */
  private void readInterrupted() throws Exception {
    Path directory = copyOf(interrupted);
    Path changed = change(directory);
    Store store = orCorrupt(directory, changed, () -> open(new UnsyncedDisk(), directory));
    if (store != null) {
      try {
        Map<String, String> found = orCorrupt(directory, changed, () -> scan(store, false));
        if (found != null) {
          model.verify(store, store.visible());
        }
      } finally {
        store.close();
      }
    }
    delete(directory);
  }

  @Test
  void servesNoChangedByte() throws Exception {
    change(Tries.of(24, 400));
  }
}
