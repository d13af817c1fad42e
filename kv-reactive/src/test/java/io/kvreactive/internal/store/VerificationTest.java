package io.kvreactive.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvValue;
import io.kvreactive.VerifyReport;
import io.kvreactive.VerifyReport.Kind;
import io.kvreactive.VerifyReport.Problem;
import io.kvreactive.internal.store.file.FileDisk;
import io.kvreactive.internal.store.image.ImageDamage;
import io.kvreactive.internal.store.log.LogRetention;
import io.kvreactive.internal.store.verify.Verification;
import io.kvreactive.testing.Seeds;
import io.kvreactive.testing.Tries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** Verification of sound stores, also during writes, and reports of damage with its location. */
class VerificationTest {
  private static final LogRetention ALL = new LogRetention(1L << 30, 1L << 40);
  private static final long HALF_MILLI = 500_000;
  private static final int HEADER = 64;

  @TempDir Path temp;
  private Path directory;
  private final Random random = new Random(11);
  private StoreModel model = new StoreModel(random);
  private final AtomicBoolean writeImage = new AtomicBoolean();

  @org.junit.jupiter.api.BeforeEach
  void place() {
    directory = temp.resolve("store");
  }

  private Store open(LogRetention retention) {
    StoreOptions options =
        StoreOptions.of(directory, new FileDisk(), true, 100_000, 400_000, 60_000);
    Store store =
        Store.open(
            options.withChanges(retention, false).withClocks(model.clocks()),
            () -> writeImage.set(true));
    store.start();
    return store;
  }

  private void commit(Store store, int batches) {
    for (int batch = 0; batch < batches; batch++) {
      for (int i = random.nextInt(4); i >= 0; i--) {
        model.commitTo(store);
      }
      store.publish();
      if (random.nextInt(20) == 0) {
        model.pass();
      }
      if (random.nextInt(5) == 0) {
        model.sweep(store, 1 + random.nextInt(50));
      }
      if (random.nextInt(3) == 0) {
        image(store);
      }
    }
  }

  private void image(Store store) {
    if (writeImage.getAndSet(false)) {
      assertThat(store.image().write()).isTrue();
      store.imageWritten();
    }
  }

  private void fill(LogRetention retention, int batches) throws IOException {
    Store store = open(retention);
    commit(store, batches);
    image(store);
    store.close();
    sound(verify());
  }

  private VerifyReport verify() throws IOException {
    return verify(directory);
  }

  private static VerifyReport verify(Path directory) throws IOException {
    try (Verification verification = Verification.of(directory)) {
      return toEnd(verification);
    }
  }

  private static VerifyReport toEnd(Verification verification) {
    boolean more = true;
    while (more) {
      more = verification.step(HALF_MILLI);
    }
    return verification.report();
  }

  private Map<String, Integer> content() throws IOException {
    Map<String, Integer> content = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        if (!file.endsWith("lock")) {
          content.put(file.toString(), Arrays.hashCode(Files.readAllBytes(file)));
        }
      }
    }
    return content;
  }

  private List<Path> segments() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(f -> f.toString().endsWith(".kvlog")).sorted().toList();
    }
  }

  private static void flip(Path file, int at) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[at] ^= 0x10;
    Files.write(file, bytes);
  }

  /** Verifies the store, and asserts that this changes nothing. */
  private List<Problem> problems() throws IOException {
    Map<String, Integer> before = content();
    VerifyReport report = verify();
    assertThat(content()).isEqualTo(before);
    assertThat(report.sound()).isEqualTo(report.problems().isEmpty());
    return report.problems();
  }

  private static void sound(VerifyReport report) {
    assertThat(report.problems()).isEmpty();
    assertThat(report.sound()).isTrue();
  }

  @ParameterizedTest
  @Seeds(shortForm = 2, longForm = 4)
  void findsAClosedStoreSound(long seed) throws IOException {
    random.setSeed(seed);
    LogRetention retention = seed % 2 == 0 ? ALL : LogRetention.NONE;
    for (int run = 0; run < Tries.of(2, 4); run++) {
      fill(retention, 1 + random.nextInt(200));
      assertThat(problems()).isEmpty();
      VerifyReport report = verify();
      assertThat(report.notes()).isEmpty();
      assertThat(report.last().version()).isEqualTo(model.lastVersion());
      assertThat(report.segments()).isEqualTo(segments().size());
      if (retention == ALL) {
        assertThat(report.commits()).isEqualTo(model.lastVersion());
        assertThat(report.first().version()).isEqualTo(1);
      }
    }
    VerifyReport report = verify();
    assertThat(report.keys()).isPositive();
    assertThat(report.expiringKeys()).isPositive();
    assertThat(report.pages()).isPositive();
    assertThat(report.frames()).isPositive();
  }

  @ParameterizedTest
  @Seeds(shortForm = 2, longForm = 6)
  void findsAStoreSoundDuringWrites(long seed) throws IOException {
    random.setSeed(seed);
    Store store = open(seed % 2 == 0 ? ALL : LogRetention.NONE);
    commit(store, 150);
    for (int round = 0; round < Tries.of(1, 4); round++) {
      try (Verification verification = Verification.of(store)) {
        while (verification.step(HALF_MILLI)) {
          commit(store, random.nextInt(10));
        }
        sound(verification.report());
        assertThat(verification.report().commits()).isPositive();
      }
      Path copy = copy("crash" + round);
      sound(verify(copy)); // the files that would remain if the process ended here
    }
    try (Verification verification = Verification.of(store)) {
      sound(toEnd(verification));
    }
    store.close();
    assertThat(problems()).isEmpty();
  }

  private Path copy(String name) throws IOException {
    Path copy = Files.createDirectory(temp.resolve(name));
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName().toString()));
      }
    }
    return copy;
  }

  @Test
  void findsAStoreInMemorySound() throws IOException {
    Store store =
        Store.open(
            StoreOptions.of(null, new FileDisk(), true, 100_000, 400_000, 60_000)
                .withClocks(model.clocks()),
            () -> writeImage.set(true));
    commit(store, 200);
    try (Verification verification = Verification.of(store)) {
      sound(toEnd(verification));
      assertThat(verification.report().keys()).isPositive();
    }
    store.close();
  }

  @Test
  void findsANewStoreSound() throws IOException {
    open(ALL).close();
    assertThat(problems()).isEmpty();
    assertThat(verify().last().version()).isZero();
  }

  @Test
  void rejectsADirectoryWithoutStoreAndLeavesItUnchanged() throws IOException {
    Files.createDirectory(directory);
    for (Path none : List.of(directory, directory.resolve("absent"))) {
      assertThatThrownBy(() -> verify(none))
          .isInstanceOfSatisfying(
              KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.INVALID_ARGUMENT))
          .hasMessageContaining(none.toString());
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void failsWithLockedForAnOpenDirectory() throws IOException {
    Store store = open(ALL);
    assertThatThrownBy(this::verify)
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.LOCKED));
    store.close();
  }

  // ---- the log

  @Test
  void reportsEveryDamagedFrame() throws IOException {
    fill(ALL, 100);
    assertThat(segments()).hasSizeGreaterThan(4);
    Path one = segments().get(1);
    Path other = segments().get(2);
    flip(one, HEADER + 44);
    flip(other, HEADER + 44);
    List<Problem> problems = problems();
    assertThat(problems).extracting(Problem::kind).containsExactly(Kind.FRAME, Kind.FRAME);
    assertThat(problems).extracting(Problem::file).containsExactly(one, other);
    assertThat(problems).extracting(Problem::offset).containsOnly((long) HEADER);

    Store store = open(ALL);
    try (Verification verification = Verification.of(store)) {
      assertThat(toEnd(verification).problems()).isEqualTo(problems);
    }
    store.close();
  }

  @Test
  void reportsADamagedSegmentHeader() throws IOException {
    fill(ALL, 100);
    flip(segments().get(1), 30);
    assertThat(problems()).hasSize(1);
    assertThat(problems().get(0).kind()).isEqualTo(Kind.SEGMENT);
    assertThat(problems().get(0).file()).isEqualTo(segments().get(1));
  }

  @Test
  void reportsACutSegment() throws IOException {
    fill(ALL, 100);
    Path cut = segments().get(1);
    byte[] bytes = Files.readAllBytes(cut);
    Files.write(cut, Arrays.copyOf(bytes, bytes.length / 2));
    assertThat(problems()).hasSize(1);
    Problem problem = problems().get(0);
    assertThat(problem.kind()).isIn(Kind.FRAME, Kind.GAP);
    assertThat(problem.file()).isIn(cut, segments().get(2));
  }

  @Test
  void reportsAMissingSegmentAsAGap() throws IOException {
    fill(ALL, 100);
    Path behind = segments().get(2);
    Files.delete(segments().get(1));
    assertThat(problems()).hasSize(1);
    assertThat(problems().get(0).kind()).isEqualTo(Kind.GAP);
    assertThat(problems().get(0).file()).isEqualTo(behind);
  }

  @Test
  void reportsMissingNewestSegmentsAsAGap() throws IOException {
    fill(ALL, 100);
    List<Path> all = segments();
    for (Path newest : all.subList(1, all.size())) {
      Files.delete(newest);
    }
    assertThat(problems()).extracting(Problem::kind).contains(Kind.GAP);
  }

  @Test
  void reportsSwappedSegments() throws IOException {
    fill(ALL, 100);
    Path one = segments().get(1);
    Path other = segments().get(2);
    Path aside = temp.resolve("aside");
    Files.move(one, aside);
    Files.move(other, one);
    Files.move(aside, other);
    assertThat(problems()).filteredOn(p -> p.kind() == Kind.SEGMENT).hasSize(2);
    assertThat(problems()).extracting(Problem::file).contains(one, other);
  }

  @Test
  void onlyNotesATornTail() throws IOException {
    fill(ALL, 100);
    Path newest = segments().get(segments().size() - 1);
    byte[] bytes = Files.readAllBytes(newest);
    int end = bytes.length;
    while (bytes[end - 1] == 0) {
      end--;
    }
    Files.write(newest, Arrays.copyOf(bytes, end - 3));
    assertThat(problems()).isEmpty();
    assertThat(verify().sound()).isTrue();
    assertThat(verify().notes()).extracting(Problem::kind).containsExactly(Kind.TORN_TAIL);
    assertThat(verify().notes().get(0).file()).isEqualTo(newest);
  }

  @Test
  void reportsAMalformedIdentity() throws IOException {
    fill(ALL, 50);
    Path identity = directory.resolve("store");
    Files.writeString(identity, "something else");
    assertThat(problems()).extracting(Problem::kind).containsExactly(Kind.IDENTITY);
    assertThat(problems().get(0).file()).isEqualTo(identity);
    Files.delete(identity);
    assertThat(problems()).extracting(Problem::kind).containsExactly(Kind.IDENTITY);
  }

  // ---- the image

  @Test
  void reportsFlippedBitsOfTheImageWithTheirPage() throws Exception {
    fill(LogRetention.NONE, 200);
    Path image = ImageDamage.file(directory);
    byte[] before = Files.readAllBytes(image);
    for (int i = 0; i < Tries.of(4, 25); i++) {
      int at = random.nextInt(before.length);
      flip(image, at);
      assertThat(problems())
          .filteredOn(p -> p.kind() == Kind.PAGE)
          .singleElement()
          .satisfies(p -> assertThat(p.file()).isEqualTo(image))
          .satisfies(p -> assertThat(p.offset()).isEqualTo(at / 4096 * 4096L));
      Files.write(image, before);
    }
  }

  @Test
  void continuesDespiteManyDamagedPages() throws Exception {
    fill(ALL, 200);
    Path image = ImageDamage.file(directory);
    byte[] bytes = Files.readAllBytes(image);
    for (int at = 1 << 20; at < bytes.length; at += 4096) {
      bytes[at + random.nextInt(4096)] ^= (byte) (1 + random.nextInt(255));
    }
    Files.write(image, bytes);
    assertThat(problems()).filteredOn(p -> p.kind() == Kind.PAGE).hasSizeGreaterThan(50);
    assertThat(verify().commits()).isEqualTo(model.lastVersion());
  }

  @Test
  void reportsDamagedChecksums() throws Exception {
    fill(LogRetention.NONE, 200);
    Path sums;
    try (Stream<Path> files = Files.list(directory)) {
      sums = files.filter(f -> f.toString().endsWith("sums")).findFirst().orElseThrow();
    }
    flip(sums, 8 + 4 * 7);
    assertThat(problems())
        .filteredOn(p -> p.kind() == Kind.PAGE)
        .extracting(Problem::offset)
        .containsExactly(7L * 4096);
    Files.delete(sums);
    assertThat(problems()).extracting(Problem::kind).containsExactly(Kind.IMAGE);
    assertThat(problems().get(0).toString()).contains(sums.toString());
  }

  @Test
  void reportsAWrongNumberOfKeys() throws Exception {
    fill(ALL, 200);
    ImageDamage.change(directory, image -> ImageDamage.count(image, new byte[] {2, 0}, 0));
    assertThat(problems()).extracting(Problem::kind).containsExactly(Kind.KEY_COUNT);
  }

  @Test
  void reportsAnIndexEntryWithoutRecord() throws Exception {
    fill(ALL, 200);
    byte[] key = {2, 'x', 0};
    ImageDamage.change(directory, image -> ImageDamage.count(image, key, 12345));
    assertThat(problems()).extracting(Problem::kind).containsExactly(Kind.KEY_COUNT, Kind.INDEX);
    assertThat(problems().get(1).key()).isEqualTo(KvKey.fromEncoded(key));
  }

  @Test
  void reportsAnExpiringRecordMissingFromTheIndex() throws Exception {
    fill(ALL, 200);
    KvKey[] key = {KvKey.EMPTY};
    ImageDamage.change(
        directory,
        image -> {
          var record = ImageDamage.expiring(image);
          key[0] = KvKey.fromEncoded(record.getKey());
          ImageDamage.unindex(image, record.getKey(), record.getValue().expireAt());
        });
    assertThat(problems()).extracting(Problem::kind).containsExactly(Kind.NOT_INDEXED);
    assertThat(problems().get(0).key()).isEqualTo(key[0]);
  }

  private static final KvValue OTHER = new KvValue(KvValue.Encoding.BYTES, new byte[] {1, 2});

  @Test
  void reportsAnImageThatDiffersFromTheLog() throws Exception {
    fill(ALL, 200);
    ImageDamage.change(
        directory,
        image -> {
          var records = image.range(new byte[0], new byte[] {(byte) 0xFF}, false);
          byte[][] keys = new byte[5][];
          long[] versions = new long[5];
          for (int i = 0; i < 5; i++) {
            var record = records.next();
            while (record.getValue().expireAt() != 0) {
              record = records.next();
            }
            keys[i] = record.getKey();
            versions[i] = record.getValue().version();
          }
          image.remove(keys[0]);
          image.put(keys[1], versions[1] - 1, OTHER, 0);
          image.put(keys[2], versions[2], OTHER, versions[2]);
          image.put(keys[3], model.lastVersion() + 1, OTHER, 0);
        });
    assertThat(problems())
        .extracting(Problem::kind)
        .contains(Kind.STALE, Kind.DIFFERENT, Kind.VERSION);
    assertThat(problems()).allSatisfy(p -> assertThat(p.key()).isNotNull());
  }

  @Test
  void reportsADeletedKeyInTheImage() throws Exception {
    fill(ALL, 200);
    ImageDamage.change(
        directory,
        image -> {
          for (int i = 0; i < 3000; i++) {
            byte[] key =
                "key%06d".formatted(i).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            if (image.find(key) == null) {
              image.put(key, 1, OTHER, 0);
            }
          }
        });
    assertThat(problems()).extracting(Problem::kind).contains(Kind.NOT_DELETED);
  }

  @Test
  void acceptsAnOlderImageOnlyWhereTheLogContinuesIt() throws Exception {
    for (LogRetention retention : List.of(ALL, LogRetention.NONE)) {
      directory = temp.resolve("store of " + retention.bytes());
      model = new StoreModel(random);
      fill(retention, 150);
      Path before = copy("before of " + retention.bytes());
      fill(retention, 300);
      try (Stream<Path> files = Files.list(before)) {
        for (Path file :
            files.filter(f -> f.getFileName().toString().startsWith("image")).toList()) {
          Files.copy(
              file,
              directory.resolve(file.getFileName().toString()),
              java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        }
      }
      if (retention == ALL) {
        assertThat(problems()).isEmpty();
      } else {
        assertThat(problems()).extracting(Problem::kind).contains(Kind.GAP);
        assertThat(problems().get(0).file()).isEqualTo(segments().get(0));
      }
    }
  }
}
