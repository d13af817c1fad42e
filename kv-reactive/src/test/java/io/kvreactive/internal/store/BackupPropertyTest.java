package io.kvreactive.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.RestoreOptions;
import io.kvreactive.RestoreResult;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.store.backup.Backup;
import io.kvreactive.internal.store.backup.Manifest;
import io.kvreactive.internal.store.backup.Restore;
import io.kvreactive.internal.store.log.LogRetention;
import io.kvreactive.testing.Seeds;
import io.kvreactive.testing.Tries;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Random commits, sweeps, passing hours, memtables and checkpoints between the pages of a backup:
 * the restored store equals a simple model at the version of the backup, and at any later version
 * with the log.
 */
class BackupPropertyTest {
  private static final LogRetention ALL = new LogRetention(Long.MAX_VALUE, Long.MAX_VALUE);

  @TempDir Path temp;
  private final AtomicBoolean writeImage = new AtomicBoolean();
  private Random random;
  private StoreModel model;
  private Store store;

  @ParameterizedTest
  @Seeds(shortForm = 3, longForm = 12)
  void restoresTheStateOfTheOriginAtTheVersion(long seed) throws Exception {
    boolean sync = seed % 2 == 1;
    random = new Random(seed);
    model = new StoreModel(random);
    store = Store.open(options("run", sync), () -> writeImage.set(true));
    for (int i = random.nextInt(300); i >= 0; i--) {
      batch();
    }
    Manifest manifest = backUp();
    assertThat(manifest.through()).isBetween(manifest.from(), model.lastVersion());
    restore(RestoreOptions.DEFAULT, manifest.through());

    for (int i = random.nextInt(150); i >= 0; i--) {
      batch();
    }
    RestoreOptions withLog = RestoreOptions.DEFAULT.withLog(temp.resolve("run"));
    restore(withLog, model.lastVersion()); // of a running store
    for (int i = 0; i < Tries.of(2, 4); i++) {
      long version =
          manifest.through() + random.nextLong(model.lastVersion() - manifest.through() + 1);
      restore(withLog.until(Versionstamp.of(version)), version);
    }
    store.close();
    restore(withLog, model.lastVersion());
  }

  private Manifest backUp() throws IOException {
    Path path = temp.resolve("backup");
    int most = 20 + random.nextInt(600);
    try (Backup backup = Backup.start(store, new UnsyncedDisk(), path, 60_000)) {
      boolean more = true;
      while (more) {
        for (int i = random.nextInt(12); i > 0; i--) {
          batch();
        }
        for (int i = random.nextInt(6); i > 0; i--) {
          model.commitTo(store);
        }
        if (random.nextInt(4) == 0) {
          model.pass(); // between the evaluation of a commit and its publication
        }
        more = backup.page(1 + random.nextInt(most));
        store.publish();
      }
      return backup.finish(() -> {});
    }
  }

  private void batch() {
    for (int i = random.nextInt(4); i >= 0; i--) {
      model.commitTo(store);
    }
    store.publish();
    if (random.nextInt(20) == 0) {
      model.pass();
    }
    if (random.nextInt(5) == 0) {
      model.sweep(store, 1 + random.nextInt(50));
    }
    if (random.nextInt(20) == 0) {
      store.syncLog();
    }
    if (random.nextInt(3) == 0) {
      writeImage(store);
    }
  }

  private void writeImage(Store store) {
    if (writeImage.getAndSet(false)) {
      assertThat(store.image().write()).isTrue();
      store.imageWritten();
    }
  }

  private void restore(RestoreOptions options, long version) throws IOException {
    Path path = temp.resolve("restored-" + random.nextLong());
    RestoreResult result =
        Restore.run(new UnsyncedDisk(), temp.resolve("backup"), path, options, () -> {});
    assertThat(result.versionstamp()).isEqualTo(Versionstamp.of(version));
    boolean waiting = writeImage.getAndSet(false); // that of the original store
    Store restored = Store.open(options(path.toString(), true), () -> writeImage.set(true));
    model.verify(restored, version);
    restored.start();
    writeImage(restored);
    model.verify(restored, version);
    restored.close();
    Store again = Store.open(options(path.toString(), true), () -> {});
    model.verify(again, version);
    again.close();
    writeImage.set(waiting);
  }

  private StoreOptions options(String directory, boolean sync) {
    return StoreOptions.of(
            temp.resolve(directory), new UnsyncedDisk(), sync, 100_000, 60_000, 40_000)
        .withClocks(model.clocks())
        .withChanges(ALL, false);
  }
}
