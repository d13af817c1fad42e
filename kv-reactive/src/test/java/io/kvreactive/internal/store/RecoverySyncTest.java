package io.kvreactive.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.internal.store.file.DataFile;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.file.DurableDirectories;
import io.kvreactive.internal.store.file.FileDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Syncs of a recovery, and their order. */
class RecoverySyncTest {
  @TempDir Path temp;

  private final CachedDisk disk = new CachedDisk();
  private final StoreModel model = new StoreModel(new Random(24));

  private Store open(Path directory, boolean sync, long memtableBytes) {
    return Store.open(
        StoreOptions.of(directory, disk, sync, memtableBytes, 60_000, 16 << 20), () -> {});
  }

  private void commits(Store store, int count) {
    for (int i = 0; i < count; i++) {
      model.commitTo(store);
      store.publish();
    }
  }

  @Test
  void syncsCommitsOfAFailedSyncBeforeShowingThem() throws Exception {
    Path directory = temp.resolve("store");
    Store store = open(directory, true, 1 << 20);
    commits(store, 20);
    disk.brokenFor = "kvlog";
    model.commitTo(store);
    assertThatThrownBy(store::publish).hasMessageContaining("Input/output error");
    store.close();

    Store again = open(directory, true, 1 << 20);
    long shown = again.visible();
    again
        .health()
        .fail(new io.kvreactive.KvException(io.kvreactive.KvErrorCode.IO_FAILED, "killed"));
    again.close();
    Path after = temp.resolve("after");
    disk.powerLoss(after);

    Store last =
        Store.open(
            StoreOptions.of(after, new FileDisk(), true, 1 << 20, 60_000, 1 << 20), () -> {});
    assertThat(last.visible()).isEqualTo(shown);
    model.verify(last, shown);
    last.close();
  }

  @Test
  void syncsTheLogBeforeTheRecoveryWritesTheImage() throws Exception {
    Path directory = temp.resolve("store");
    Store store = open(directory, false, 1 << 24);
    commits(store, 600);
    store
        .health()
        .fail(new io.kvreactive.KvException(io.kvreactive.KvErrorCode.IO_FAILED, "killed"));
    store.close();
    assertThat(disk.isChanged("kvlog")).isTrue();

    List<String> synced = new ArrayList<>();
    disk.beforeSync =
        file -> {
          synced.add(file);
          if (file.startsWith("image")) {
            assertThat(disk.isChanged("kvlog")).as("the log is ahead of %s", file).isFalse();
          }
        };
    Store again = open(directory, true, 10_000);
    assertThat(synced.stream().filter("image.db"::equals).count())
        .as("memtables that did not fit into memory")
        .isGreaterThan(0);
    model.verify(again, model.lastVersion());
    again.close();
  }

  @Test
  void syncsTheParentsOfDirectoriesOfANewStore() throws Exception {
    List<Path> synced = new ArrayList<>();
    Disk recording =
        new Disk() {
          private final FileDisk files = new FileDisk();

          @Override
          public DataFile open(Path file) throws IOException {
            return files.open(file);
          }

          @Override
          public void delete(Path file) throws IOException {
            files.delete(file);
          }

          @Override
          public void syncDirectory(Path directory) throws IOException {
            files.syncDirectory(directory);
            synced.add(directory);
          }
        };
    Path directory = temp.resolve("data/databases/one");
    Store.open(StoreOptions.of(directory, recording, true, 1 << 20, 1 << 20, 1 << 20), () -> {})
        .close();
    assertThat(synced)
        .contains(temp, temp.resolve("data"), temp.resolve("data/databases"), directory);

    synced.clear();
    DurableDirectories.create(recording, directory);
    assertThat(synced).isEmpty();
    Files.createFile(temp.resolve("file"));
    assertThatThrownBy(() -> DurableDirectories.create(recording, temp.resolve("file/below")))
        .isInstanceOf(IOException.class);
  }
}
