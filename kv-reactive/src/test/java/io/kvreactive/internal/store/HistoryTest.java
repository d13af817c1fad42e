package io.kvreactive.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.store.file.FileDisk;
import io.kvreactive.internal.store.log.LogCut;
import io.kvreactive.internal.store.log.LogRetention;
import io.kvreactive.internal.store.verify.Verification;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.RangeCheck;
import io.kvreactive.testing.Tries;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The versions assigned and rejected after orderly stops, crashes and cuts of the log. */
class HistoryTest {
  private static final int HEADER = 64;
  private static final int PAGE = 4096;

  @TempDir Path directory;

  private Store open() {
    return open(true);
  }

  private Store open(boolean sync) {
    return Store.open(
        StoreOptions.of(directory, new FileDisk(), sync, 1 << 20, 1 << 20, 1 << 20)
            .withChanges(new LogRetention(1 << 30, Long.MAX_VALUE), false),
        () -> {});
  }

  private static Commit set(String key, int value) {
    return Commit.of(new Mutation.Set(bytes(key), value(value)));
  }

  private static KvValue value(int value) {
    return new KvValue(KvValue.Encoding.BYTES, new byte[] {(byte) value});
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static long put(Store store, String key, int value) {
    long version = store.stage(set(key, value)).versionstamp().version();
    store.publish();
    return version;
  }

  private static byte[] get(Store store, String key) {
    try (StoreSnapshot snapshot = store.snapshot()) {
      var found = snapshot.enter().get(bytes(key));
      snapshot.leave();
      return found == null || found.value() == null ? null : found.value().bytes();
    }
  }

  /** Closes the files like a killed process. */
  private static void kill(Store store) throws IOException {
    store.health().fail(new KvException(KvErrorCode.IO_FAILED, "killed"));
    store.close();
  }

  private Path log() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.toString().endsWith(".kvlog"))
          .max(Path::compareTo)
          .orElseThrow();
    }
  }

  private long[] five() throws IOException {
    Store store = open();
    long[] versions = new long[5];
    for (int i = 0; i < 5; i++) {
      versions[i] = put(store, i == 4 ? "balance" : "key" + i, i);
    }
    store.close();
    return versions;
  }

  private static int lastFrame(byte[] log) {
    int at = HEADER;
    int last = at;
    ByteBuffer bytes = ByteBuffer.wrap(log);
    while (at < log.length && bytes.getInt(at) == 0x4B564652) {
      last = at;
      at += (40 + bytes.getInt(at + 4) + 7) / 8 * 8;
    }
    return last;
  }

  // ---- orderly stops

  @Test
  void rejectsAnyFlippedBitOfTheLastCommitAfterAnOrderlyStop() throws IOException {
    five();
    Path log = log();
    byte[] whole = Files.readAllBytes(log);
    int frame = lastFrame(whole);
    int end = frame + 40 + ByteBuffer.wrap(whole).getInt(frame + 4);
    for (int at = frame; at < end; at += Tries.of(3, 1)) {
      byte[] damaged = whole.clone();
      damaged[at] ^= 1;
      Files.write(log, damaged);
      assertThatThrownBy(this::open)
          .as("byte %d", at)
          .satisfies(e -> assertThat(((KvException) e).code()).isEqualTo(KvErrorCode.CORRUPT))
          .hasMessageContaining(log + " at offset " + frame);
      assertThat(sound()).isFalse();
    }
    Files.write(log, whole);
    assertThat(sound()).isTrue();
    Store store = open();
    assertThat(get(store, "balance")).containsExactly(4);
    store.close();
  }

  @Test
  void rejectsTheLossOfThePageWithTheLastCommits() throws IOException {
    five();
    Path log = log();
    byte[] bytes = Files.readAllBytes(log);
    Arrays.fill(bytes, HEADER + 100, PAGE, (byte) 0);
    Files.write(log, bytes);
    assertThatThrownBy(this::open).hasMessageContaining("CORRUPT").hasMessageContaining("offset");
    assertThat(sound()).isFalse();
  }

  @Test
  void continuesVersionsWithoutGapAfterOrderlyStops() throws IOException {
    long[] versions = five();
    for (int i = 0; i < 3; i++) {
      open().close();
      Store store = open();
      assertThat(put(store, "more", i)).isEqualTo(versions[4] + 1 + i);
      store.close();
      assertThat(sound()).isTrue();
    }
  }

  // ---- crashes

  @Test
  void rejectsAndNeverReusesVersionsLostInACrash() throws IOException {
    Store store = open(false);
    put(store, "account", 1);
    store.syncLog();
    Path log = log();
    byte[] synced = Files.readAllBytes(log);
    long durable = store.visible();
    List<Long> seen = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      seen.add(put(store, "account", i));
    }
    kill(store);
    Files.write(log, synced);

    Store again = open(false);
    assertThat(again.visible()).isEqualTo(durable);
    for (long version : seen) {
      assertThat(again.isLost(version)).as("version %d", version).isTrue();
    }
    Commit stale =
        new Commit(
            List.of(new Check(bytes("account"), Versionstamp.of(seen.get(0)))),
            List.of(new Mutation.Set(bytes("account"), value(99))));
    assertThat(again.stage(stale).committed()).isFalse();
    assertThat(again.stage(readAt(seen.get(0))).committed()).isFalse();
    assertThat(again.stage(readAt(durable)).committed()).isTrue();
    long next = put(again, "account", 2);
    assertThat(next).isGreaterThan(seen.get(seen.size() - 1));
    for (long version : seen) {
      assertThat(again.isLost(version)).isTrue();
      assertThat(again.stage(readAt(version)).committed()).isFalse();
    }
    assertThat(again.isLost(durable)).isFalse();
    assertThat(versions(again, durable)).contains(next);
    again.close();
    assertThat(sound()).isTrue();

    Store last = open(false);
    assertThat(put(last, "account", 3)).isEqualTo(next + 1);
    assertThat(last.isLost(seen.get(0))).isTrue();
    assertThat(versions(last, durable - 1)).contains(durable, next, next + 1);
    last.close();
  }

  /** Also without a commit in between, and without a torn tail. */
  @Test
  void skipsVersionsAtEachCrashAndRemembersAllGaps() throws IOException {
    Store store = open();
    long last = put(store, "key", 1);
    kill(store);
    long next = last;
    for (int crash = 0; crash < 4; crash++) {
      Store again = open();
      assertThat(again.visible()).isEqualTo(last);
      assertThat(again.next()).isGreaterThan(next);
      next = again.next();
      if (crash == 2) {
        again.close(); // orderly, without a commit
        again = open();
        assertThat(again.next()).isEqualTo(next);
      }
      kill(again);
    }
    Store again = open();
    assertThat(put(again, "key", 2)).isGreaterThan(next);
    assertThat(versions(again, last)).hasSize(1);
    again.close();
    assertThat(sound()).isTrue();
  }

  private static Commit readAt(long version) {
    return new Commit(
        List.of(),
        List.of(new RangeCheck(bytes("x"), bytes("y"), Versionstamp.of(version), 0)),
        List.of(new Mutation.Set(bytes("other"), value(1))),
        List.of(),
        null);
  }

  private static List<Long> versions(Store store, long since) {
    List<Long> versions = new ArrayList<>();
    ChangeCursor cursor = store.changes(since);
    while (!cursor.read(1 << 20, commit -> versions.add(commit.version()))) {
      // to the newest
    }
    return versions;
  }

  private boolean sound() throws IOException {
    try (Verification verification = Verification.of(directory)) {
      while (verification.step(1_000_000_000)) {
        // to the end
      }
      return verification.report().sound();
    }
  }

  // ---- the id of the history

  @Test
  void keepsTheHistoryAcrossRestartsAndCrashes() throws IOException {
    Store store = open();
    UUID history = store.history();
    assertThat(history).isNotEqualTo(store.id());
    kill(store);
    Store again = open();
    assertThat(again.history()).isEqualTo(history);
    again.close();
    assertThat(StoreIdentity.of(new FileDisk(), directory).history()).isEqualTo(history);
    UUID renewed = StoreIdentity.renew(new FileDisk(), directory).history();
    Path file = directory.resolve("store");
    Files.writeString(file, Files.readString(file) + "history=torn"); // as after a crash
    UUID other = StoreIdentity.of(new FileDisk(), directory).history();
    assertThat(other).isNotIn(history, renewed);
    Store last = open();
    assertThat(last.history()).isEqualTo(other);
    last.close();
  }

  @Test
  void addsAHistoryToAStoreOfAnOlderRelease() throws IOException {
    long[] versions = five();
    asOfAnOlderRelease();
    Store store = open();
    UUID history = store.history();
    assertThat(get(store, "balance")).containsExactly(4);
    long next = put(store, "key", 1);
    assertThat(next).isGreaterThan(versions[4]);
    store.close();
    Store again = open();
    assertThat(again.history()).isEqualTo(history);
    assertThat(put(again, "key", 2)).isEqualTo(next + 1);
    assertThat(versions(again, 0))
        .containsExactly(
            versions[0], versions[1], versions[2], versions[3], versions[4], next, next + 1);
    again.close();
    assertThat(sound()).isTrue();
  }

  /** Format 2: no history, segments that skip nothing, and no closing frame. */
  private void asOfAnOlderRelease() throws IOException {
    Path identity = directory.resolve("store");
    String text = Files.readString(identity).replace("format=3", "format=2");
    Files.writeString(identity, text.substring(0, text.indexOf("history=")));
    Path log = log();
    byte[] bytes = Files.readAllBytes(log);
    ByteBuffer header = ByteBuffer.wrap(bytes);
    header.put(7, (byte) '1');
    for (int at = 32; at < HEADER; at++) {
      header.put(at, (byte) 0);
    }
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, 32);
    header.putInt(32, (int) crc.getValue());
    Files.write(log, Arrays.copyOf(bytes, PAGE));
  }

  // ---- cuts

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4})
  void keepsTheCommitsBeforeTheDamageUnderANewHistory(int damaged) throws IOException {
    long[] versions = five();
    Path log = log();
    byte[] bytes = Files.readAllBytes(log);
    int at = HEADER;
    for (int i = 0; i < damaged; i++) {
      at += (40 + ByteBuffer.wrap(bytes).getInt(at + 4) + 7) / 8 * 8;
    }
    bytes[at + 20] ^= 4;
    Files.write(log, bytes);
    UUID history = StoreIdentity.of(new FileDisk(), directory).history();

    LogCut found = StoreRepair.inspectLog(directory);
    assertThat(found.file()).isEqualTo(log);
    assertThat(found.offset()).isEqualTo(at);
    assertThat(found.last()).isEqualTo(versions[damaged] - 1);
    assertThat(found.newest()).isEqualTo(versions[4]);
    assertThat(Files.readAllBytes(log)).as("only looked at").isEqualTo(bytes);
    assertThatThrownBy(this::open).hasMessageContaining("CORRUPT");

    StoreRepair.Repaired repaired = StoreRepair.cutLog(directory);
    assertThat(repaired.cut()).isEqualTo(found);
    assertThat(repaired.history()).isNotEqualTo(history);
    assertThat(StoreRepair.inspectLog(directory)).isNull();
    assertThat(StoreRepair.cutLog(directory)).isNull();
    assertThat(sound()).isTrue();
    Store store = open();
    assertThat(store.history()).isEqualTo(repaired.history());
    assertThat(store.visible()).isEqualTo(found.last());
    for (int i = 0; i < 5; i++) {
      assertThat(store.isLost(versions[i])).as("commit %d", i).isEqualTo(i >= damaged);
    }
    assertThat(get(store, "balance")).isNull();
    assertThat(put(store, "balance", 7)).isGreaterThanOrEqualTo(repaired.next());
    assertThat(versions(store, 0)).hasSize(damaged + 1);
    store.close();
  }

  @Test
  void dropsTheSegmentsAfterACutMiddleSegment() throws IOException {
    five();
    Path first = log();
    Store store = open();
    long last = put(store, "later", 1);
    store.close();
    byte[] bytes = Files.readAllBytes(first);
    bytes[lastFrame(bytes) + 41] ^= 1;
    Files.write(first, bytes);

    LogCut found = StoreRepair.inspectLog(directory);
    assertThat(found.last()).isEqualTo(4);
    assertThat(found.newest()).isEqualTo(last);
    long next = StoreRepair.cutLog(directory).next();
    Store again = open();
    assertThat(get(again, "later")).isNull();
    assertThat(get(again, "key3")).containsExactly(3);
    assertThat(put(again, "later", 2)).isGreaterThanOrEqualTo(next);
    again.close();
    assertThat(sound()).isTrue();
  }

  /** After a power loss at any operation of a cut, the log is rejected or completely cut. */
  @Test
  void neverKeepsTheOldHistoryAfterACrashDuringACut(@TempDir Path temp) throws IOException {
    five();
    Path log = log();
    byte[] bytes = Files.readAllBytes(log);
    bytes[lastFrame(bytes) + 41] ^= 1;
    Files.write(log, bytes);
    UUID history = StoreIdentity.of(new FileDisk(), directory).history();
    Path original = directory;
    int opened = 0;
    for (int crash = 0; ; crash++) {
      directory = temp.resolve("crash" + crash);
      Files.createDirectories(directory);
      try (Stream<Path> files = Files.list(original)) {
        for (Path file : files.toList()) {
          Files.copy(file, directory.resolve(file.getFileName()));
        }
      }
      CrashingDisk disk = new CrashingDisk(crash);
      try {
        StoreRepair.cutLog(disk, directory, System.currentTimeMillis());
      } catch (KvException e) {
        assertThat(e).hasMessageContaining("crashed");
      }
      try {
        Store store = open();
        opened++;
        assertThat(store.history()).isNotEqualTo(history);
        assertThat(put(store, "balance", 1)).isGreaterThan(1L << 40);
        store.close();
      } catch (KvException e) {
        assertThat(e.code()).isEqualTo(KvErrorCode.CORRUPT);
        assertThat(StoreRepair.cutLog(directory)).isNotNull();
        open().close();
      }
      if (!disk.hasCrashed()) {
        break;
      }
    }
    assertThat(opened).isPositive();
  }
}
