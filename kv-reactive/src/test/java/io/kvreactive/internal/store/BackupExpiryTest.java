package io.kvreactive.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvValue;
import io.kvreactive.RestoreOptions;
import io.kvreactive.internal.store.backup.Backup;
import io.kvreactive.internal.store.backup.Restore;
import io.kvreactive.internal.store.memtable.VersionedValue;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys whose expiry is extended, in a commit without their values, while pages are read. */
class BackupExpiryTest {
  private static final byte[] KEY = {1, 2, 3};
  private static final long HOUR = 3_600_000; // the store's clock also advances with real time

  @TempDir Path temp;
  private final AtomicLong clock = new AtomicLong(1_000_000);

  private Store open(String name) {
    return Store.open(
        StoreOptions.of(temp.resolve(name), true, 1 << 20).withWallClock(clock::get), () -> {});
  }

  private static void stage(Store store, Mutation mutation) {
    assertThat(store.stage(new Commit(List.of(), List.of(mutation))).committed()).isTrue();
  }

  @Test
  void keepsAKeyWhoseExpiryIsExtendedDuringTheBackup() throws Exception {
    Store store = open("run");
    KvValue value = new KvValue(KvValue.Encoding.BYTES, new byte[] {7});
    stage(store, new Mutation.Set(KEY, value, clock.get() + HOUR));
    store.publish();
    try (Backup backup = Backup.start(store, new UnsyncedDisk(), temp.resolve("b"), 1 << 20)) {
      stage(store, new Mutation.Touch(KEY, clock.get() + 100 * HOUR));
      clock.addAndGet(2 * HOUR); // expired for the page, because the commit is not visible yet
      assertThat(backup.page(10)).isTrue();
      store.publish();
      assertThat(backup.page(10)).isFalse();
      var unused = backup.finish(() -> {});
    }
    store.close();

    Restore.run(
        new UnsyncedDisk(),
        temp.resolve("b"),
        temp.resolve("restored"),
        RestoreOptions.DEFAULT,
        () -> {});
    Store restored = open("restored");
    try (StoreSnapshot snapshot = restored.snapshot()) {
      VersionedValue found = snapshot.enter().get(KEY);
      assertThat(found).isNotNull();
      assertThat(found.version()).isEqualTo(2);
      assertThat(found.value()).isEqualTo(value);
      snapshot.leave();
    }
    restored.close();
  }
}
