package io.kvreactive.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Behaviour of a store on a full or failing disk. */
class StoreFaultTest {
  @TempDir Path temp;

  private final FaultyDisk disk = new FaultyDisk();
  private final StoreModel model = new StoreModel(new Random(42));
  private final AtomicBoolean imageWanted = new AtomicBoolean();

  private Path directory() {
    return temp.resolve("store");
  }

  private Store open(boolean sync) {
    return Store.open(
        StoreOptions.of(directory(), disk, sync, 100_000, 60_000, 40_000),
        () -> imageWanted.set(true));
  }

  private void commits(Store store, int count) {
    for (int i = 0; i < count; i++) {
      model.commitTo(store);
      store.publish();
    }
  }

  private void commitUntilImageIsWanted(Store store) {
    imageWanted.set(false);
    while (!imageWanted.get()) {
      commits(store, 1);
    }
  }

  private static KvErrorCode code(Throwable e) {
    return ((KvException) e).code();
  }

  @Test
  void rollsTheBatchBackOnAFullDiskAndResumesWhenThereIsSpace() throws Exception {
    Store store = open(true);
    commits(store, 50);
    long before = model.lastVersion();
    disk.fullFor = "kvlog";
    do { // a commit without effects is not written
      model.commitTo(store);
    } while (model.lastVersion() == before);
    assertThatThrownBy(store::publish)
        .satisfies(e -> assertThat(code(e)).isEqualTo(KvErrorCode.DISK_FULL));
    assertThat(store.stats().failure()).isEqualTo(KvErrorCode.DISK_FULL);
    model.truncate(before);
    model.verify(store, before);

    disk.fullFor = "nothing";
    long deadline = System.nanoTime() + 60_000_000_000L;
    boolean staged = false;
    while (!staged) { // rejected for a while, so that a full disk is not tried all the time
      try {
        model.commitTo(store);
        staged = true;
      } catch (KvException e) {
        assertThat(e.code()).isEqualTo(KvErrorCode.DISK_FULL);
        model.truncate(before);
        assertThat(System.nanoTime()).isLessThan(deadline);
      }
    }
    store.publish();
    commits(store, 50);
    store.close();
    Store again = open(true);
    model.verify(again, model.lastVersion());
    again.close();
  }

  /** The reserve of descriptors is used up, or the directory cannot be synced. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void retriesTheCreationOfASegmentWithoutClosingTheStore(boolean noDescriptors) throws Exception {
    Store store = open(true);
    commits(store, 50);
    if (noDescriptors) {
      disk.noDescriptorsFor = "kvlog";
    } else {
      disk.noDirectorySync = true;
    }
    KvException refused = null;
    long before = 0;
    while (refused == null) {
      before = model.lastVersion();
      try {
        commits(store, 1);
      } catch (KvException e) {
        refused = e;
      }
    }
    assertThat(refused.code()).isEqualTo(KvErrorCode.OVERLOADED);
    assertThat(refused).hasMessageContaining("kvlog").hasMessageContaining("Too many open files");
    assertThat(store.health().failure()).isNull();
    assertThat(store.stats().failure()).isEqualTo(KvErrorCode.OVERLOADED);
    model.truncate(before);
    model.verify(store, before);

    disk.noDescriptorsFor = "nothing";
    disk.noDirectorySync = false;
    long deadline = System.nanoTime() + 60_000_000_000L;
    while (store.stats().failure() != null) { // without a rejected commit
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.onSpinWait();
    }
    commits(store, 100);
    model.verify(store, model.lastVersion());
    store.close();
    Store again = open(true);
    model.verify(again, model.lastVersion());
    again.close();
  }

  @Test
  void retriesTheDeletionOfAnOldSegmentLater() throws Exception {
    Store store = open(true);
    disk.undeletable = "kvlog";
    for (int i = 0; i < 3; i++) {
      commitUntilImageIsWanted(store);
      assertThat(store.image().write()).isTrue();
      store.imageWritten();
    }
    assertThat(store.health().failure()).isNull();
    long kept = segments();
    assertThat(kept).isGreaterThan(store.stats().logSegments());
    commits(store, 10);
    disk.undeletable = "nothing";
    store.log().dropOld();
    assertThat(segments()).isEqualTo(store.stats().logSegments()).isLessThan(kept);
    model.verify(store, model.lastVersion());
    store.close();
    Store again = open(true);
    model.verify(again, model.lastVersion());
    again.close();
  }

  private long segments() throws Exception {
    try (var files = Files.list(directory())) {
      return files.filter(file -> file.toString().endsWith(".kvlog")).count();
    }
  }

  @Test
  void syncsWhileSegmentsFill() throws Exception {
    Store store = open(false);
    commits(store, 1);
    int[] segmentsLeft = {3};
    boolean[] filling = {false};
    disk.beforeSync = // simulates a faster thread that commits
        () -> {
          if (!filling[0] && segmentsLeft[0]-- > 0) {
            filling[0] = true;
            int segments = store.stats().logSegments();
            while (store.stats().logSegments() == segments) {
              commits(store, 1);
            }
            filling[0] = false;
          }
        };
    store.syncLog();
    assertThat(segmentsLeft[0]).isNegative();
    assertThat(store.health().failure()).isNull();
    assertThat(store.horizon()).isEqualTo(1);
    commits(store, 1);
    store.close();

    Store again = open(false);
    model.verify(again, model.lastVersion());
    again.close();
  }

  /** A disk may report an error to only one of two callers. */
  @Test
  void failsASyncConcurrentWithAFailedSync() throws Exception {
    Store store = open(false);
    commits(store, 5);
    FutureTask<Void> second = new FutureTask<>(store::syncLog, null);
    Thread other = new Thread(second, "second");
    disk.beforeSync =
        () -> {
          if (Thread.currentThread() == other) {
            disk.brokenFor = "nothing";
            return;
          }
          other.start();
          while (other.getState() != Thread.State.BLOCKED && !second.isDone()) {
            Thread.onSpinWait();
          }
          disk.brokenFor = "kvlog";
        };
    assertThatThrownBy(store::syncLog).hasMessageContaining("Input/output error");
    assertThatThrownBy(second::get).hasRootCauseMessage("Input/output error");
    assertThat(store.horizon()).isZero();
    assertThat(store.health().failure()).isNotNull();
    store.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void closesTheStoreAfterAFailedSyncBeforeAnyFurtherAnswer(boolean everyCommit) throws Exception {
    Store store = open(everyCommit);
    commits(store, 20);
    store.syncLog();
    long before = model.lastVersion();
    disk.brokenFor = "kvlog";
    model.commitTo(store);
    assertThatThrownBy(
            () -> {
              store.publish();
              store.syncLog();
            })
        .satisfies(e -> assertThat(code(e)).isEqualTo(KvErrorCode.IO_FAILED));
    disk.brokenFor = "nothing";
    assertThatThrownBy(() -> store.stage(model.next())).hasMessageContaining("has failed");
    if (everyCommit) {
      model.verify(store, before);
    }
    store.close();

    Store again = open(true);
    try (StoreSnapshot snapshot = again.snapshot()) {
      assertThat(snapshot.version()).isBetween(before, before + 1);
    }
    again.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 5})
  void losesNothingInACrashWhileTheImageHasNoRoom(int imageWrites) throws Exception {
    Store store = open(true);
    commitUntilImageIsWanted(store);
    assertThat(store.image().write()).isTrue();
    store.imageWritten();
    commitUntilImageIsWanted(store);
    disk.fullFor = "image.db";
    disk.writesLeft = imageWrites;
    assertThat(store.image().write()).isFalse();
    disk.fullFor = "image"; // the next attempt may fail in the journal
    disk.writesLeft = 1;
    assertThat(store.image().write()).isFalse();
    model.verify(store, model.lastVersion());

    Path crashed = Files.createDirectory(temp.resolve("crashed"));
    try (var files = Files.list(directory())) {
      for (Path file : files.toList()) {
        Files.copy(file, crashed.resolve(file.getFileName()));
      }
    }
    Store afterCrash =
        Store.open(
            StoreOptions.of(crashed, new FaultyDisk(), true, 100_000, 60_000, 40_000), () -> {});
    model.verify(afterCrash, model.lastVersion());
    afterCrash.close();

    disk.fullFor = "nothing";
    assertThat(store.image().write()).as("there is room again").isTrue();
    store.imageWritten();
    commits(store, 20);
    model.verify(store, model.lastVersion());
    store.close();
  }

  @Test
  void keepsDurableCommitsWhenTheImageHasNoRoom() throws Exception {
    Store store = open(true);
    commitUntilImageIsWanted(store);
    disk.fullFor = "image";
    assertThat(store.image().write()).isFalse();
    KvException full = null;
    while (full == null) {
      try {
        store.isFull();
        commits(store, 1); // publishing must not fail: the log has room
      } catch (KvException e) {
        full = e;
      }
    }
    assertThat(full.code()).isEqualTo(KvErrorCode.DISK_FULL);
    model.verify(store, model.lastVersion());
    store.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"store", "image.db"})
  void rejectsADamagedFile(String file) throws Exception {
    Store store = open(true);
    commitUntilImageIsWanted(store);
    assertThat(store.image().write()).isTrue();
    store.imageWritten();
    store.close();
    Files.delete(directory().resolve("image.journal"));
    byte[] bytes = Files.readAllBytes(directory().resolve(file));
    Arrays.fill(bytes, 0, 40, (byte) 7);
    Files.write(directory().resolve(file), bytes);
    assertThatThrownBy(() -> open(true))
        .satisfies(e -> assertThat(code(e)).isEqualTo(KvErrorCode.CORRUPT))
        .hasMessageContaining(file);
  }
}
