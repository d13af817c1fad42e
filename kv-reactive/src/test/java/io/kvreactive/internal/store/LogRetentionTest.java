package io.kvreactive.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.shared.ClockSources;
import io.kvreactive.internal.store.file.FileDisk;
import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.internal.store.log.LogRetention;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Retention of log segments, and reads of the log from any position. */
class LogRetentionTest {
  private static final int SEGMENT = 40_000;
  private static final int VALUE = 1000;

  @TempDir Path directory;
  private final AtomicBoolean imageWanted = new AtomicBoolean();
  private long now = 1_000_000_000_000L;

  private Store open(LogRetention retention) {
    StoreOptions options =
        StoreOptions.of(directory, new FileDisk(), true, 100_000, 60_000, SEGMENT);
    Store store =
        Store.open(
            new StoreOptions(
                directory,
                options.disk(),
                true,
                100_000,
                60_000,
                SEGMENT,
                3 * VALUE, // so that all but the newest commits are read from the log
                retention,
                false,
                options.idMillis(),
                ClockSources.of(() -> now)),
            () -> imageWanted.set(true));
    store.start();
    return store;
  }

  /** Commits a batch, and writes the image if it is due. */
  private void commit(Store store, int batch) {
    for (int i = 0; i < batch; i++) {
      KvValue value = new KvValue(KvValue.Encoding.BYTES, new byte[VALUE]);
      byte[] key = ("key" + i).getBytes(StandardCharsets.US_ASCII);
      var unused = store.stage(Commit.of(new Mutation.Set(key, value)));
    }
    var unused = store.publish();
    if (imageWanted.compareAndSet(true, false)) {
      assertThat(store.image().write()).isTrue();
      store.imageWritten();
    }
  }

  private List<Path> segments() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(f -> f.toString().endsWith(".kvlog")).sorted().toList();
    }
  }

  private static List<Long> versions(Store store, long since, int bytes, int mostAtOnce) {
    List<Long> versions = new ArrayList<>();
    ChangeCursor cursor = store.changes(since);
    boolean atEnd = false;
    while (!atEnd) {
      int[] left = {mostAtOnce};
      atEnd = cursor.read(bytes, commit -> left[0]-- > 0 && versions.add(commit.version()));
      assertThat(cursor.position()).isEqualTo(since + versions.size());
    }
    return versions;
  }

  private static List<Long> range(long from, long to) {
    return LongStream.rangeClosed(from, to).boxed().toList();
  }

  @Test
  void readsEveryCommitFromEveryPositionInStepsOfEverySize() throws IOException {
    LogRetention all = new LogRetention(Long.MAX_VALUE, Long.MAX_VALUE);
    Store store = open(all);
    for (int batch = 1; batch < 60; batch++) {
      commit(store, 1 + batch * 7 % 50);
    }
    store.close();
    store = open(all);
    commit(store, 5);
    long last = store.visible();
    assertThat(segments()).hasSizeGreaterThan(20);
    assertThat(versions(store, 0, 1, 1)).isEqualTo(range(1, last));
    assertThat(versions(store, 0, 1 << 20, 3)).isEqualTo(range(1, last));
    assertThat(versions(store, 0, 1 << 20, Integer.MAX_VALUE)).isEqualTo(range(1, last));
    for (long since = 0; since <= last; since += 13) {
      assertThat(versions(store, since, 5000, Integer.MAX_VALUE)).isEqualTo(range(since + 1, last));
    }
    store.close();
  }

  @Test
  void dropsSegmentsBeyondTheBytesAndReportsThemAsCompacted() throws IOException {
    Store store = open(new LogRetention(5 * SEGMENT, Long.MAX_VALUE));
    ChangeCursor slow = store.changes(0);
    for (int i = 0; i < 40; i++) {
      commit(store, 30);
    }
    assertThat(segments()).hasSizeBetween(5, 15);
    KvException compacted =
        catchThrowableOfType(KvException.class, () -> slow.read(1000, commit -> true));
    assertThat(compacted.code()).isEqualTo(KvErrorCode.COMPACTED);
    Versionstamp oldest = compacted.oldest();
    assertThat(oldest).isNotNull();
    assertThat(compacted).hasMessageContaining(oldest.toString());
    assertThat(versions(store, oldest.version(), 9999, 99))
        .isEqualTo(range(oldest.version() + 1, store.visible()));
    store.close();
  }

  @Test
  void dropsSegmentsBeyondTheAgeAlsoAfterReopening() throws IOException {
    LogRetention day = new LogRetention(Long.MAX_VALUE, 86_400_000);
    Store store = open(day);
    for (int i = 0; i < 20; i++) {
      commit(store, 30);
    }
    int before = segments().size();
    assertThat(before).isGreaterThan(10);
    store.close();
    now += 80_000_000;
    store = open(day);
    commit(store, 1);
    store.log().dropOld();
    assertThat(segments()).hasSizeBetween(before, before + 1);
    now += 10_000_000;
    store.log().dropOld();
    assertThat(segments().size()).as("what the image lacks stays").isBetween(1, 10);
    store.close();
  }

  @Test
  void keepsPinnedSegmentsUntilThePinIsClosed() throws Exception {
    Store store = open(LogRetention.NONE);
    commit(store, 1);
    AutoCloseable pin = store.log().pin(1);
    for (int i = 0; i < 20; i++) {
      commit(store, 30);
    }
    assertThat(versions(store, 0, 9999, 99)).hasSize(601);
    pin.close();
    store.log().dropOld();
    assertThat(segments().size()).isLessThan(12);
    assertThatThrownBy(() -> store.log().pin(1)).hasMessageContaining("COMPACTED");
    store.close();
  }

  @Test
  void dropsRetainedSegmentsWhenTheDiskIsFull() throws IOException {
    FaultyDisk disk = new FaultyDisk();
    StoreOptions options =
        StoreOptions.of(directory, disk, true, 100_000, 60_000, SEGMENT)
            .withChanges(new LogRetention(Long.MAX_VALUE, Long.MAX_VALUE), false);
    Store store = Store.open(options, () -> imageWanted.set(true));
    for (int i = 0; i < 20; i++) {
      commit(store, 30);
    }
    assertThat(segments()).hasSizeGreaterThan(10);
    disk.fullFor = "kvlog";
    assertThatThrownBy(() -> commit(store, 30)).hasMessageContaining("DISK_FULL");
    assertThat(segments()).hasSizeLessThan(10);
    store.close();
  }

  @Test
  void reportsDamageWithFileAndOffset() throws IOException {
    Store store = open(new LogRetention(Long.MAX_VALUE, Long.MAX_VALUE));
    for (int i = 0; i < 20; i++) {
      commit(store, 30);
    }
    Path damaged = segments().get(2);
    byte[] bytes = Files.readAllBytes(damaged);
    for (int at : new int[] {64, 70, 82, 5000, bytes.length - 20}) {
      byte[] changed = bytes.clone();
      changed[at] ^= 0x40;
      Files.write(damaged, changed);
      List<CommitRecord> read = new ArrayList<>();
      KvException failure =
          catchThrowableOfType(
              KvException.class,
              () -> {
                ChangeCursor cursor = store.changes(0);
                while (!cursor.read(9999, read::add)) {
                  assertThat(read.size()).isLessThan(601);
                }
              });
      assertThat(failure).as("byte %d", at).isNotNull();
      assertThat(failure.code()).isEqualTo(KvErrorCode.CORRUPT);
      assertThat(failure).hasMessageContaining(damaged + " at offset ");
    }
    Files.delete(damaged);
    assertThatThrownBy(() -> versions(store, 0, 9999, 99)).hasMessageContaining("is missing");
    store.close();
  }
}
