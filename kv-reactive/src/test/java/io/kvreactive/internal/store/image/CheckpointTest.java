package io.kvreactive.internal.store.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.store.FaultyDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages reach the image atomically despite failures. */
class CheckpointTest {
  private static final int PAGES = 10;

  @TempDir Path temp;
  private final FaultyDisk disk = new FaultyDisk();

  private Path directory() throws IOException {
    return Files.createDirectories(temp.resolve("image"));
  }

  /** Fills every second page, so that each is a separate write. */
  private static void fill(Pager pager, long value) {
    for (int i = 0; i < PAGES; i++) {
      long at = 2L * i * Pager.PAGE;
      pager.ensureAvailable(at + Pager.PAGE);
      pager.putLong(at, value);
      pager.putLong(at + Pager.PAGE - Long.BYTES, value);
    }
  }

  private static LongStream values(Pager pager) {
    return LongStream.range(0, PAGES)
        .flatMap(
            i ->
                LongStream.of(
                    pager.getLong(2 * i * Pager.PAGE),
                    pager.getLong((2 * i + 1) * Pager.PAGE - Long.BYTES)));
  }

  /** Returns the contents of the image after a crash, and verifies its checksums. */
  private long[] afterCrash(String copy) throws IOException {
    Path crashed = Files.createDirectory(temp.resolve(copy));
    try (var files = Files.list(directory())) {
      for (Path file : files.toList()) {
        Files.copy(file, crashed.resolve(file.getFileName()));
      }
    }
    PageCheck.all(new FaultyDisk(), crashed, bad -> fail(bad.toString()));
    try (Checkpoint reopened = Checkpoint.open(new FaultyDisk(), crashed)) {
      return values(reopened.pager()).distinct().toArray();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void repairsAHalfWrittenImageBeforeOverwritingItsJournal(int journalWrites) throws IOException {
    try (Checkpoint checkpoint = Checkpoint.open(disk, directory())) {
      Pager pager = checkpoint.pager();
      fill(pager, 1);
      checkpoint.write();
      fill(pager, 2);
      disk.fullFor = "image.db";
      disk.writesLeft = PAGES / 2;
      assertThatThrownBy(checkpoint::write).isInstanceOf(IOException.class);
      assertThat(afterCrash("the image failed")).containsExactly(2);

      fill(pager, 3);
      disk.fullFor = "image";
      disk.writesLeft = PAGES + 1 + journalWrites; // the recovery: each page, and the checksums
      assertThatThrownBy(checkpoint::write).isInstanceOf(IOException.class);
      assertThat(afterCrash("the journal failed")).containsExactly(2);
      assertThat(values(pager).distinct()).containsExactly(3L);

      disk.fullFor = "nothing";
      checkpoint.write();
      assertThat(values(pager).distinct()).containsExactly(3L);
    }
    assertThat(afterCrash("in the end")).containsExactly(3);
  }

  /** The parameter is the number of successful writes of the three changed checksum blocks. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void retriesWritingChecksumsAfterAFullDisk(int writes) throws IOException {
    try (Checkpoint checkpoint = Checkpoint.open(disk, directory())) {
      Pager pager = checkpoint.pager();
      fill(pager, 1);
      checkpoint.write();
      fill(pager, 2);
      for (int far = 1; far <= 2; far++) {
        pager.ensureAvailable((1500L * far + 1) * Pager.PAGE);
        pager.putLong(1500L * far * Pager.PAGE, far);
      }
      disk.fullFor = "image.sums";
      disk.writesLeft = writes;
      assertThatThrownBy(checkpoint::write).isInstanceOf(IOException.class);
      assertThat(afterCrash("the sums failed")).containsExactly(2);
      pager.putLong(Pager.PAGE, 5); // a page that is read is compared to its checksum
      pager.putLong(1501L * Pager.PAGE, 5);

      disk.fullFor = "nothing";
      PageCheck check = new PageCheck(checkpoint);
      check.range(0, check.pages(), bad -> fail(bad.toString()));
      checkpoint.write();
      assertThat(values(pager).distinct()).containsExactly(2L);
    }
    assertThat(afterCrash("in the end")).containsExactly(2);
  }

  /** Leaves a half-written image of 2 instead of 1, and the journal that repairs it. */
  private Path interrupt() throws IOException {
    try (Checkpoint checkpoint = Checkpoint.open(disk, directory())) {
      fill(checkpoint.pager(), 1);
      checkpoint.write();
      fill(checkpoint.pager(), 2);
      disk.fullFor = "image.db";
      disk.writesLeft = PAGES / 2;
      assertThatThrownBy(checkpoint::write).isInstanceOf(IOException.class);
    }
    return directory().resolve("image.journal");
  }

  @Test
  void refusesADamagedJournal() throws IOException {
    Path journal = interrupt();
    byte[] whole = Files.readAllBytes(journal);
    int end = 32 + PAGES * (Long.BYTES + Pager.PAGE);
    for (int at = 0; at < end; at += at < 50 ? 1 : 1009) {
      byte[] damaged = whole.clone();
      damaged[at] ^= 4;
      Files.write(journal, damaged);
      assertThatThrownBy(() -> Checkpoint.open(new FaultyDisk(), directory()))
          .as("byte %d", at)
          .isInstanceOfSatisfying(
              KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.CORRUPT))
          .hasMessageContaining(journal + " is damaged from offset ");
    }
    Files.write(journal, Arrays.copyOf(whole, end - 1));
    assertThatThrownBy(() -> Checkpoint.open(new FaultyDisk(), directory()))
        .isInstanceOf(KvException.class);
    Files.write(journal, whole);
    assertThat(afterCrash("whole")).containsExactly(2);
  }

  @Test
  void replaysAJournalOfAnOlderRelease() throws IOException {
    Path journal = interrupt();
    ByteBuffer old = ByteBuffer.wrap(Files.readAllBytes(journal));
    old.putLong(0, 0x4B56525041474553L); // KVRPAGES
    CRC32C crc = new CRC32C();
    crc.update(old.slice(0, 24));
    crc.update(old.slice(32, PAGES * (Long.BYTES + Pager.PAGE)));
    old.putLong(24, crc.getValue());
    Files.write(journal, old.array());
    assertThat(afterCrash("old")).containsExactly(2);
  }
}
