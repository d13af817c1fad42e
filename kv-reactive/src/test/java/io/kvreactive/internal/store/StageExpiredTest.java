package io.kvreactive.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.internal.shared.ClockSources;
import io.kvreactive.internal.store.file.FileDisk;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.StoredChange;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Deletion of expired keys found by a scan, unless rewritten since. */
class StageExpiredTest {
  private static final int MEMTABLE = 100_000;
  private static final byte[] KEY = "key".getBytes(StandardCharsets.US_ASCII);

  @TempDir Path directory;
  private final AtomicLong time = new AtomicLong(System.currentTimeMillis());
  private final AtomicBoolean writeImage = new AtomicBoolean();
  private Store store;
  private StoreSnapshot held;
  private ExpiryScan scan;

  @BeforeEach
  void scanAKeyThatHasExpired() {
    StoreOptions options =
        StoreOptions.of(directory, new FileDisk(), true, MEMTABLE, MEMTABLE, MEMTABLE)
            .withClocks(new ClockSources(time::get, () -> time.get() * 1_000_000, () -> 0));
    store = Store.open(options, () -> writeImage.set(true));
    set(KEY, 10, time.get() + 3_600_000);
    time.addAndGet(7_200_000);
    held = store.snapshot();
    scan = store.scanExpired(held, new byte[0], 10);
    assertThat(scan.expired()).hasSize(1);
  }

  @AfterEach
  void close() throws Exception {
    held.close();
    store.close();
  }

  private void set(byte[] key, int size, long expireAt) {
    KvValue value = new KvValue(KvValue.Encoding.BYTES, new byte[size]);
    store.stage(Commit.of(new Mutation.Set(key, value, expireAt)));
    store.publish();
  }

  private void fillMemory() {
    for (int i = 0; !writeImage.get(); i++) {
      set(("filler" + i).getBytes(StandardCharsets.US_ASCII), 10_000, 0);
    }
  }

  private boolean exists() {
    try (StoreSnapshot newest = store.snapshot()) {
      boolean exists = newest.enter().get(KEY) != null;
      newest.leave();
      return exists;
    }
  }

  @Test
  void deletesAnUnchangedKey() {
    assertThat(store.stageExpired(held, scan, 0)).isEqualTo(1);
    assertThat(store.publish()).hasSize(1);
  }

  @Test
  void deletesAKeyInMemoryAndImageOnce() throws Exception {
    held.close();
    byte[] twice = "twice".getBytes(StandardCharsets.US_ASCII);
    long at = time.get() + 3_600_000;
    set(twice, 10, at);
    fillMemory();
    assertThat(store.image().write()).isTrue();
    store.imageWritten();
    set(twice, 20, at);
    time.addAndGet(7_200_000);
    held = store.snapshot();
    scan = store.scanExpired(held, new byte[0], 10);
    int staged = 0;
    while (staged < scan.expired().size()) {
      staged = store.stageExpired(held, scan, staged);
    }
    List<byte[]> expired =
        store.publish().stream()
            .flatMap(commit -> commit.effects().stream())
            .map(StoredChange::key)
            .filter(key -> Arrays.equals(key, twice))
            .toList();
    assertThat(expired).hasSize(1);
  }

  @Test
  void keepsARewrittenKey() {
    set(KEY, 10, 0);
    assertThat(store.stageExpired(held, scan, 0)).isEqualTo(1);
    assertThat(store.publish()).isEmpty();
    assertThat(exists()).isTrue();
  }

  @Test
  void keepsARewrittenKeyThatHasLeftMemory() {
    set(KEY, 10, 0);
    fillMemory(); // the snapshot is ended
    assertThat(store.image().write()).isTrue();
    store.imageWritten();
    assertThatExceptionOfType(KvException.class)
        .isThrownBy(() -> store.stageExpired(held, scan, 0))
        .matches(e -> e.code() == KvErrorCode.SNAPSHOT_TOO_OLD);
    assertThat(store.publish()).isEmpty();
    assertThat(exists()).isTrue();
  }
}
