package io.kvreactive.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import io.kvreactive.testing.Tries;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A torn end of the log is cut off; damage anywhere else is rejected with its location. */
class LogDamageTest {
  private static final int HEADER = 64;
  private static final int COMMITS = Tries.of(2, 5);
  private static final int DAMAGED = Tries.of(1, 3); // the first ones
  private static final int STEP = Tries.of(7, 1); // in bytes; frames are at multiples of 8

  @TempDir Path directory;

  private Store open() {
    return Store.open(
        StoreOptions.of(directory, new UnsyncedDisk(), true, 1 << 20, 1 << 20, 1 << 20), () -> {});
  }

  private void write(int from, int to) throws IOException {
    Store store = open();
    for (int i = from; i <= to; i++) {
      KvValue value = new KvValue(KvValue.Encoding.BYTES, new byte[] {(byte) i});
      store.stage(Commit.of(new Mutation.Set(key(i), value)));
      store.publish();
    }
    store.close();
  }

  private static byte[] key(int i) {
    return ("key" + i).getBytes(StandardCharsets.US_ASCII);
  }

  private List<Path> segments() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(f -> f.toString().endsWith(".kvlog")).sorted().toList();
    }
  }

  private long versionAfterOpen() throws IOException {
    Store store = open();
    try (StoreSnapshot snapshot = store.snapshot()) {
      for (int i = 1; i <= snapshot.version(); i++) {
        assertThat(snapshot.enter().get(key(i))).as("version %d", i).isNotNull();
        snapshot.leave();
      }
      return snapshot.version();
    } finally {
      store.close();
    }
  }

  private KvException openFails() {
    return catchThrowableOfType(KvException.class, this::open);
  }

  private int endOfFrames(byte[] log) {
    int end = log.length;
    while (end > 0 && log[end - 1] == 0) {
      end--;
    }
    return end;
  }

  @Test
  void opensACutLogWithTheWholeFramesBeforeTheCut() throws IOException {
    write(1, COMMITS);
    Path log = segments().get(0);
    byte[] whole = Files.readAllBytes(log);
    int end = endOfFrames(whole);
    long before = 0;
    for (int next = HEADER; next < end + STEP; next += STEP) {
      int cut = Math.min(next, end);
      try (Stream<Path> files = Files.list(directory)) {
        for (Path file : files.filter(f -> f.toString().endsWith(".kvlog")).toList()) {
          Files.delete(file);
        }
      }
      Files.write(log, java.util.Arrays.copyOf(whole, cut));
      long version = versionAfterOpen();
      assertThat(version).isBetween(before, (long) COMMITS);
      before = version;
    }
    assertThat(before).isEqualTo(COMMITS);
  }

  @Test
  void rejectsDamageBeforeTheTailWithFileAndOffset() throws IOException {
    write(1, COMMITS);
    Path log = segments().get(0);
    byte[] whole = Files.readAllBytes(log);
    int frame = (endOfFrames(whole) - HEADER) / COMMITS;
    for (int at = HEADER; at < HEADER + DAMAGED * frame; at += STEP) {
      byte[] damaged = whole.clone();
      damaged[at] ^= 0x10;
      Files.write(log, damaged);
      if (Files.mismatch(log, log) == -1 && isPadding(whole, at)) {
        continue;
      }
      KvException failure = openFails();
      assertThat(failure).as("byte %d", at).isNotNull();
      assertThat(failure.code()).isEqualTo(KvErrorCode.CORRUPT);
      assertThat(failure).hasMessageContaining(log.toString()).hasMessageContaining("offset");
    }
    Files.write(log, whole);
    assertThat(versionAfterOpen()).isEqualTo(COMMITS);
  }

  /** Bytes between frames are ignored. */
  private static boolean isPadding(byte[] log, int at) {
    int next = (at + 8) & -8;
    boolean beforeFrame = next + 4 <= log.length && log[next] == 'K' && log[next + 1] == 'V';
    return beforeFrame && at >= next - 7 && log[at] == 0;
  }

  @Test
  void rejectsAMissingSegment() throws IOException {
    write(1, 3);
    write(4, 6);
    write(7, 9);
    assertThat(segments()).hasSize(3);
    Files.delete(segments().get(1));
    assertThat(openFails().code()).isEqualTo(KvErrorCode.CORRUPT);
    assertThat(openFails()).hasMessageContaining("version 7").hasMessageContaining("missing");
  }

  @Test
  void rejectsASegmentOfAnotherStore(@TempDir Path other) throws IOException {
    write(1, 3);
    Path foreign = segments().get(0);
    Path mine = directory;
    directory = other;
    write(1, 3);
    Files.copy(foreign, segments().get(0), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    KvException failure = openFails();
    directory = mine;
    assertThat(failure.code()).isEqualTo(KvErrorCode.CORRUPT);
    assertThat(failure).hasMessageContaining("store");
  }

  @Test
  void continuesVersionsAcrossManyRestarts() throws IOException {
    for (int i = 1; i <= 20; i++) {
      write(i, i);
    }
    assertThat(versionAfterOpen()).isEqualTo(20);
  }
}
