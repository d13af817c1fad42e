package io.kvreactive.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvValue;
import io.kvreactive.RepairOptions;
import io.kvreactive.RepairReport;
import io.kvreactive.internal.shared.ClockSources;
import io.kvreactive.internal.store.file.OverlayDisk;
import io.kvreactive.internal.store.verify.Verification;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.Mutation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Repairs of a store that was written while the wall clock was 50 years ahead. */
class OfflineRepairTest {
  private static final Instant RIGHT = Instant.parse("2026-11-20T00:00:00Z");
  private static final Instant WRONG = RIGHT.plus(Duration.ofDays(50 * 365));
  private static final long HOUR = 3_600_000;
  private static final byte[] MALFORMED = {0x02, 0x61, 0x62};
  private static final byte[] ALSO = {0x21, (byte) 0x80};
  private static final KvValue VALUE = new KvValue(KvValue.Encoding.BYTES, new byte[] {1});
  private static final RepairOptions ALL =
      RepairOptions.INSPECT
          .withApply(true)
          .withClock(RIGHT)
          .withDeleteKeys(List.of(KvKey.fromEncoded(MALFORMED)));

  @TempDir Path temp;
  private final RecordingDisk disk = new RecordingDisk();

  private static StoreOptions options(Path directory, RecordingDisk disk, Instant wall) {
    long millis = wall.toEpochMilli();
    return StoreOptions.of(directory, disk, true, 20_000, 20_000, 20_000)
        .withClocks(new ClockSources(() -> millis, () -> 0, () -> 0));
  }

  private static void enqueue(Store store, long deliverAt) {
    Enqueue message = new Enqueue("q", VALUE, deliverAt, List.of(), List.of());
    store.stage(new Commit(List.of(), List.of(), List.of(), List.of(message), null));
  }

  private Path wrongStore() throws IOException {
    Path directory = temp.resolve("store");
    AtomicBoolean imageWanted = new AtomicBoolean();
    Store store = Store.open(options(directory, disk, WRONG), () -> imageWanted.set(true));
    store.start();
    store.stage(Commit.of(new Mutation.Set(MALFORMED, VALUE, 0)));
    store.stage(Commit.of(new Mutation.Set(ALSO, VALUE, 0)));
    byte[] key = KvKey.of("session").bytes();
    store.stage(Commit.of(new Mutation.Set(key, VALUE, RIGHT.toEpochMilli() + HOUR)));
    enqueue(store, 0);
    enqueue(store, WRONG.toEpochMilli() + HOUR);
    store.publish();
    for (int i = 0; i < 300; i++) { // so that the image contains the time too
      Mutation set = new Mutation.Set(KvKey.of("filler", i).bytes(), VALUE, 0);
      store.stage(Commit.of(set));
      store.publish();
      if (imageWanted.getAndSet(false)) {
        assertThat(store.image().write()).isTrue();
        store.imageWritten();
      }
    }
    assertThat(store.image().current().millis()).isEqualTo(WRONG.toEpochMilli());
    store.close();
    return directory;
  }

  private static List<Long> readyTimes(Store store) {
    List<Long> times = new ArrayList<>();
    try (StoreSnapshot snapshot = store.snapshot()) {
      QueueKeys queue = QueueKeys.of("q");
      ViewCursor cursor = snapshot.enter().range(queue.ready(), queue.readyEnd(), false);
      while (cursor.next()) {
        times.add(QueueKeys.readyAt(cursor.key()));
      }
      snapshot.leave();
    }
    return times;
  }

  private static boolean isPresent(Store store, byte[] key) {
    try (StoreSnapshot snapshot = store.snapshot()) {
      boolean found = snapshot.enter().range(key, Arrays.copyOf(key, key.length + 1), false).next();
      snapshot.leave();
      return found;
    }
  }

  private static void verifySound(Path directory) throws IOException {
    try (Verification verification = Verification.of(directory)) {
      boolean more = true;
      while (more) {
        more = verification.step(1_000_000_000);
      }
      assertThat(verification.report().problems()).isEmpty();
    }
  }

  private static Map<String, String> files(Path directory) throws IOException {
    Map<String, String> all = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(each -> !each.endsWith("lock")).toList()) {
        all.put(file.toString(), Arrays.hashCode(Files.readAllBytes(file)) + "");
      }
    }
    return all;
  }

  @Test
  void repairsAtomicallyDespitePowerFailures() throws IOException {
    Path directory = wrongStore();
    int before = disk.count();
    Map<String, String> untouched = files(directory);
    RepairReport dry =
        OfflineRepair.run(directory, ALL.withApply(false), new OverlayDisk(), RIGHT, () -> {});
    assertThat(files(directory)).isEqualTo(untouched);
    assertThat(dry.applied()).isFalse();
    assertThat(dry.time()).isEqualTo(WRONG);
    assertThat(dry.unreadableKeys()).isEqualTo(2);

    RepairReport report = OfflineRepair.run(directory, ALL, disk, RIGHT, () -> {});
    assertThat(report.applied()).isTrue();
    assertThat(report.changes()).hasSize(4).isEqualTo(dry.changes());
    int after = disk.count();

    Random random = new Random(5);
    boolean wasSet = false;
    for (int crash = before; crash <= after; crash++) {
      Path left = Files.createDirectory(temp.resolve("crash" + crash));
      PowerLoss.materialise(disk.ops(), crash, random, left);
      verifySound(left);
      Store store = Store.open(options(left, new RecordingDisk(), RIGHT), () -> {});
      long now = store.clock().millis();
      assertThat(now).isIn(RIGHT.toEpochMilli(), WRONG.toEpochMilli());
      boolean isSet = now == RIGHT.toEpochMilli();
      assertThat(isPresent(store, ALSO)).isTrue();
      assertThat(readyTimes(store))
          .isIn(
              List.of(RIGHT.toEpochMilli(), RIGHT.toEpochMilli() + HOUR),
              List.of(WRONG.toEpochMilli(), WRONG.toEpochMilli() + HOUR));
      if (isSet) {
        assertThat(readyTimes(store)).contains(RIGHT.toEpochMilli());
        assertThat(isPresent(store, MALFORMED)).isFalse();
        assertThat(isPresent(store, KvKey.of("session").bytes())).as("is back").isTrue();
      }
      wasSet = isSet;
      store.close();
    }
    assertThat(wasSet).isTrue();
  }

  @Test
  void keepsTheNewTimeAndNeverGoesBack() throws IOException {
    Path directory = wrongStore();
    OfflineRepair.run(directory, ALL, disk, RIGHT, () -> {});
    Instant later = RIGHT.plusSeconds(7200);
    AtomicBoolean imageWanted = new AtomicBoolean();
    Store store = Store.open(options(directory, disk, later), () -> imageWanted.set(true));
    assertThat(store.clock().millis()).isEqualTo(later.toEpochMilli());
    for (int i = 0; i < 500; i++) { // the image is newer than the version of the setting
      store.stage(Commit.of(new Mutation.Set(KvKey.of("more", i).bytes(), VALUE, 0)));
      store.publish();
      if (imageWanted.getAndSet(false)) {
        assertThat(store.image().write()).isTrue();
        store.imageWritten();
      }
    }
    store.close();
    for (int i = 0; i < 2; i++) {
      Store again = Store.open(options(directory, disk, RIGHT), () -> {});
      assertThat(again.clock().millis())
          .as("not back to the setting")
          .isEqualTo(later.toEpochMilli());
      again.close();
    }
    RepairReport report =
        OfflineRepair.run(directory, RepairOptions.INSPECT, new OverlayDisk(), later, () -> {});
    assertThat(report.isClockAhead()).isFalse();
    assertThat(report.time()).isEqualTo(later);
    assertThat(report.isSound()).as("a malformed key is left").isFalse();

    Instant last = RIGHT.plusSeconds(60); // a second setting, without a commit between
    RepairOptions again = RepairOptions.INSPECT.withApply(true).withClock(later.plusSeconds(9));
    OfflineRepair.run(directory, again, disk, RIGHT, () -> {});
    OfflineRepair.run(directory, again.withClock(last), disk, RIGHT, () -> {});
    Store set = Store.open(options(directory, disk, RIGHT), () -> {});
    assertThat(set.clock().millis()).isEqualTo(last.toEpochMilli());
    set.close();
    verifySound(directory);
  }

  @Test
  void deletesOnlyStoredMalformedKeys() throws IOException {
    Path directory = wrongStore();
    Map<String, String> untouched = files(directory);
    for (byte[] key :
        List.of(
            KvKey.of("session").bytes(),
            new byte[] {0x02},
            new byte[] {},
            QueueKeys.of("q").ready(),
            new byte[] {(byte) 0xFF})) {
      List<KvKey> keys = List.of(KvKey.fromEncoded(MALFORMED), KvKey.fromEncoded(key));
      assertThatThrownBy(
              () ->
                  OfflineRepair.run(directory, ALL.withDeleteKeys(keys).withApply(false), () -> {}))
          .isInstanceOfSatisfying(
              KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.INVALID_ARGUMENT));
    }
    assertThat(files(directory)).isEqualTo(untouched);
  }

  @Test
  void rejectsOpenStoresAndDirectoriesWithoutStore() throws IOException {
    assertThatThrownBy(() -> OfflineRepair.run(temp, RepairOptions.INSPECT, () -> {}))
        .hasMessageContaining("the directory of a store");
    assertThat(files(temp)).isEmpty();
    Store open = Store.open(options(temp.resolve("open"), disk, RIGHT), () -> {});
    assertThatThrownBy(
            () -> OfflineRepair.run(temp.resolve("open"), RepairOptions.INSPECT, () -> {}))
        .hasMessageContaining("is open in process");
    open.close();
  }
}
