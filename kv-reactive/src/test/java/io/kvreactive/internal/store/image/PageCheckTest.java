package io.kvreactive.internal.store.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.internal.store.UnsyncedDisk;
import io.kvreactive.internal.store.file.FileDisk;
import io.kvreactive.internal.store.image.PageCheck.BadPage;
import io.kvreactive.internal.store.image.nodes.ImageRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damage to the image or to its checksums is found and reported with its location. */
class PageCheckTest {
  private static final int HEADER = 8;
  private static final int MAPDB_HEADER = 1 << 20; // has its own checksum
  private static final long BEHIND = 4096; // first page behind the image

  @TempDir Path directory;
  private final Random random = new Random(7);
  private final Map<Integer, KvValue> values = new HashMap<>();

  @BeforeEach
  void someImage() throws IOException {
    try (SortedImage image = SortedImage.open(new FileDisk(), directory)) {
      put(image, 0, 2000);
      image.checkpoint();
      put(image, 1000, 3000);
      image.checkpoint();
    }
  }

  private void put(SortedImage image, int from, int to) {
    for (int i = from; i < to; i++) {
      byte[] bytes = new byte[random.nextInt(400)];
      random.nextBytes(bytes);
      values.put(i, new KvValue(KvValue.Encoding.BYTES, bytes));
      image.put(key(i), 1, values.get(i), 0);
    }
  }

  private static byte[] key(int i) {
    return new byte[] {(byte) (i >> 8), (byte) i};
  }

  private Path file(String name) {
    return directory.resolve(name);
  }

  private void flip(String name, long at) throws IOException {
    byte[] bytes = Files.readAllBytes(file(name));
    bytes[Math.toIntExact(at)] ^= (byte) (1 << random.nextInt(8));
    Files.write(file(name), bytes);
  }

  private List<BadPage> check() throws IOException {
    List<BadPage> found = new ArrayList<>();
    PageCheck.all(new FileDisk(), directory, found::add);
    return found;
  }

  @Test
  void reportsNoBadPagesOfASoundImage() throws IOException {
    assertThat(check()).isEmpty();
  }

  @Test
  void treatsHolesAsZeros() throws IOException {
    try (Checkpoint checkpoint = Checkpoint.open(new FileDisk(), directory)) {
      Pager pager = checkpoint.pager();
      long far = 10L << 20;
      pager.ensureAvailable(far);
      pager.putLong(far - Long.BYTES, 1);
      checkpoint.write();
      assertThat(new PageCheck(checkpoint).pages()).isEqualTo(far / Pager.PAGE);
    }
    assertThat(check()).isEmpty();
    flip("image.db", 9L << 20);
    assertThat(check()).hasSize(1);
  }

  @Test
  void reportsAFlippedBitWithItsPage() throws IOException {
    byte[] before = Files.readAllBytes(file("image.db"));
    for (int i = 0; i < 50; i++) {
      int at = random.nextInt(before.length);
      flip("image.db", at);
      List<BadPage> bad = check();
      assertThat(bad).hasSize(1);
      assertThat(bad.get(0).file()).isEqualTo(file("image.db"));
      assertThat(bad.get(0).offset()).isEqualTo(at / Pager.PAGE * (long) Pager.PAGE);
      assertThat(bad.get(0).actual()).isNotEqualTo(bad.get(0).expected());
      Files.write(file("image.db"), before);
    }
  }

  @Test
  void reportsAFlippedBitOfTheChecksums() throws IOException {
    byte[] before = Files.readAllBytes(file("image.sums"));
    for (int at = 0; at < before.length; at += at < HEADER ? 1 : 37) {
      flip("image.sums", at);
      if (at < HEADER) {
        assertThatThrownBy(this::check)
            .isInstanceOf(KvException.class)
            .hasMessageContaining(file("image.sums").toString());
      } else {
        assertThat(check())
            .extracting(BadPage::offset)
            .containsExactly((at - HEADER) / 4 * (long) Pager.PAGE);
      }
      Files.write(file("image.sums"), before);
    }
  }

  @Test
  void checksAnOpenImageInStepsAsOfItsLastCheckpoint() throws IOException {
    try (SortedImage image = SortedImage.open(new FileDisk(), directory)) {
      PageCheck check = image.pageCheck();
      assertThat(check).isNotNull();
      put(image, 500, 1500); // is not in the file yet
      List<BadPage> found = new ArrayList<>();
      long pages = check.pages();
      for (long from = 0; from < pages; from += 100) {
        check.range(from, Math.min(pages, from + 100), found::add);
        image.put(key((int) from), 2, new KvValue(KvValue.Encoding.BYTES, new byte[10]), 0);
      }
      assertThat(found).isEmpty();
      image.checkpoint();

      flip("image.db", 7 * Pager.PAGE + 100);
      flip("image.sums", 3);
      check.range(0, pages, found::add);
      assertThat(found).extracting(BadPage::offset).containsExactly(0L, 7L * Pager.PAGE);
      assertThat(found.get(0).file()).isEqualTo(file("image.sums"));
    }
  }

  @Test
  void checksNoPagesOfAnImageInMemory() throws IOException {
    try (SortedImage image = SortedImage.inMemory()) {
      assertThat(image.pageCheck()).isNull();
    }
  }

  @Test
  void neverGivesADamagedPageAFreshChecksum() throws IOException {
    try (SortedImage image = SortedImage.open(new FileDisk(), directory)) {
      for (int i = 0; i < 3000; i++) {
        assertThat(image.find(key(i))).isNotNull();
      }
      flipAllFrom(MAPDB_HEADER); // after they were read and compared
      assertThatThrownBy(() -> put(image, 0, 3000))
          .isInstanceOf(KvException.class)
          .hasMessageContaining("image.db is damaged at offset");
      assertThat(image.damagedPages()).isPositive();
    }
  }

  /** Flips a bit of each page, in place: the file may be mapped. */
  private void flipAllFrom(int start) throws IOException {
    try (FileChannel file =
        FileChannel.open(file("image.db"), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      for (long at = start + 4000; at < file.size(); at += Pager.PAGE) {
        ByteBuffer one = ByteBuffer.allocate(1);
        file.read(one, at);
        file.write(one.put(0, (byte) (one.get(0) ^ 1)).rewind(), at);
      }
    }
  }

  @Test
  void failsEveryReadOfADamagedPageAndNoOther() throws IOException {
    byte[] before = Files.readAllBytes(file("image.db"));
    int failures = 0;
    for (int at = MAPDB_HEADER + 40 * Pager.PAGE; at < before.length; at += 16 * Pager.PAGE) {
      byte[] bytes = before.clone();
      bytes[at + random.nextInt(Pager.PAGE)] ^= 1;
      Files.write(file("image.db"), bytes);
      try (SortedImage image = SortedImage.open(new FileDisk(), directory)) {
        List<Integer> failed = failedReads(image, at);
        assertThat(failedReads(image, at)).isEqualTo(failed);
        assertThat(failed).hasSizeLessThan(1000);
        assertThat(image.damagedPages()).isEqualTo(failed.isEmpty() ? 0 : 1);
        failures += failed.size();
      }
    }
    assertThat(failures).isPositive();
  }

  /** Reads all keys. Returns those that cannot be read because of a damaged page. */
  private List<Integer> failedReads(SortedImage image, long page) {
    List<Integer> failed = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      try {
        ImageRecord record = image.find(key(i));
        assertThat(record).isNotNull();
        assertThat(image.load(record)).isEqualTo(values.get(i));
      } catch (KvException e) {
        assertThat(e.code()).isEqualTo(KvErrorCode.CORRUPT);
        assertThat(e).hasMessageContaining("image.db is damaged at offset " + page + ":");
        failed.add(i);
      }
    }
    return failed;
  }

  /** Readers compare pages while the same pages are changed and written to the file. */
  @Test
  void comparesPagesThatAreBeingWritten() throws Exception {
    int pages = 2000;
    try (Checkpoint checkpoint = Checkpoint.open(new UnsyncedDisk(), directory)) {
      fill(checkpoint, pages, 7);
    }
    for (int round = 0; round < 3; round++) {
      try (Checkpoint checkpoint = Checkpoint.open(new UnsyncedDisk(), directory)) {
        Pager pager = checkpoint.pager();
        CountDownLatch start = new CountDownLatch(1);
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (int reader = 0; reader < 2; reader++) {
          readers.add(
              CompletableFuture.runAsync(
                  () -> {
                    start.countDown();
                    for (long page = BEHIND; page < BEHIND + pages; page++) {
                      assertThat(pager.getLong(page * Pager.PAGE + 8)).isEqualTo(7);
                    }
                  }));
        }
        start.await();
        for (long page = BEHIND; page < BEHIND + pages; page += 50) {
          for (long each = page; each < page + 50; each++) {
            pager.putLong(each * Pager.PAGE, round);
          }
          checkpoint.write();
        }
        readers.forEach(CompletableFuture::join);
        assertThat(pager.damagedPages()).isZero();
      }
    }
    assertThat(check()).isEmpty();
  }

  private static void fill(Checkpoint checkpoint, int pages, long value) throws IOException {
    Pager pager = checkpoint.pager();
    pager.ensureAvailable((BEHIND + pages) * Pager.PAGE);
    for (long page = BEHIND; page < BEHIND + pages; page++) {
      pager.putLong(page * Pager.PAGE + 8, value);
    }
    checkpoint.write();
  }

  private void assertOpenFails(String message) {
    assertThatThrownBy(() -> SortedImage.open(new FileDisk(), directory))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.CORRUPT))
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, Pager.PAGE, 3 * Pager.PAGE + 1})
  void rejectsACutImage(int length) throws IOException {
    byte[] bytes = Files.readAllBytes(file("image.db"));
    Files.write(file("image.db"), Arrays.copyOf(bytes, length));
    assertOpenFails("image.db has " + length + " bytes");
  }

  @Test
  void rejectsAnImageWithoutChecksums() throws IOException {
    Files.delete(file("image.sums"));
    assertOpenFails("image.sums is missing");
  }

  @Test
  void reportsPagesWithoutChecksums() throws IOException {
    byte[] bytes = Files.readAllBytes(file("image.sums"));
    Files.write(file("image.sums"), Arrays.copyOf(bytes, HEADER + 4));
    assertThat(check()).hasSizeGreaterThan(10);
  }
}
