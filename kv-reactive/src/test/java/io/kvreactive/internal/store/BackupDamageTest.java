package io.kvreactive.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.RestoreOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.store.backup.Backup;
import io.kvreactive.internal.store.backup.Manifest;
import io.kvreactive.internal.store.backup.Restore;
import io.kvreactive.internal.store.log.LogRetention;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damage of a backup, or of the log after it, is reported and prevents the restore. */
class BackupDamageTest {
  private static final LogRetention ALL = new LogRetention(Long.MAX_VALUE, Long.MAX_VALUE);

  @TempDir Path temp;
  private final StoreModel model = new StoreModel(new Random(1));
  private Store store;
  private Path run;
  private Path backup;
  private Manifest manifest;

  @BeforeEach
  void backUp() throws IOException {
    run = temp.resolve("run");
    backup = temp.resolve("backup");
    store =
        Store.open(
            StoreOptions.of(run, new UnsyncedDisk(), true, 1 << 20, 1 << 20, 20_000)
                .withClocks(model.clocks())
                .withChanges(ALL, false),
            () -> {});
    commit(200);
    try (Backup running = Backup.start(store, new UnsyncedDisk(), backup, 1 << 20)) {
      while (running.page(100)) {
        commit(20);
      }
      manifest = running.finish(() -> {});
    }
    commit(200);
  }

  private void commit(int commits) {
    for (int i = 0; i < commits; i++) {
      model.commitTo(store);
      store.publish();
    }
  }

  @AfterEach
  void close() throws IOException {
    store.close();
  }

  private long restore(RestoreOptions options) throws IOException {
    Path path = temp.resolve("restored");
    return Restore.run(new UnsyncedDisk(), backup, path, options, () -> {})
        .versionstamp()
        .version();
  }

  private String refused(RestoreOptions options, KvErrorCode code) {
    KvException[] refusal = new KvException[1];
    assertThatThrownBy(() -> restore(options))
        .isInstanceOfSatisfying(
            KvException.class,
            e -> {
              assertThat(e.code()).isEqualTo(code);
              refusal[0] = e;
            });
    assertThat(temp.resolve("restored")).doesNotExist();
    assertThat(temp.resolve("restored.partial")).doesNotExist();
    return refusal[0].detail();
  }

  private static void flip(Path file, long offset) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      channel.read(one, offset);
      one.put(0, (byte) (one.get(0) ^ 4)).rewind();
      channel.write(one, offset);
    }
  }

  private static List<Path> files(Path directory, String prefix, String suffix) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(f -> f.getFileName().toString().startsWith(prefix))
          .filter(f -> f.getFileName().toString().endsWith(suffix))
          .sorted()
          .toList();
    }
  }

  @Test
  void rejectsADamagedPageBeforeRestoring() throws Exception {
    Path image = files(backup, "image", ".db").get(0);
    for (long offset : new long[] {5000, Files.size(image) / 2, Files.size(image) - 1}) {
      flip(image, offset);
      assertThat(refused(RestoreOptions.DEFAULT, KvErrorCode.CORRUPT))
          .contains(image.toString(), "offset " + offset / 4096 * 4096);
      flip(image, offset);
    }
    assertThat(restore(RestoreOptions.DEFAULT)).isEqualTo(manifest.through());
  }

  @Test
  void rejectsADamagedManifestAndMissingFiles() throws Exception {
    Path image = files(backup, "image", ".db").get(0);
    Path away = temp.resolve("away");
    Files.move(image, away);
    refused(RestoreOptions.DEFAULT, KvErrorCode.CORRUPT);
    Files.move(away, image);
    flip(backup.resolve("backup"), 3);
    refused(RestoreOptions.DEFAULT, KvErrorCode.CORRUPT);
    Files.delete(backup.resolve("backup"));
    refused(RestoreOptions.DEFAULT, KvErrorCode.INVALID_ARGUMENT);
  }

  @Test
  void rejectsADamagedLogOfTheBackup() throws Exception {
    assertThat(manifest.through()).isGreaterThan(manifest.from());
    Path log = files(backup, "log-", "").get(0);
    for (long offset : new long[] {80, 300, 2000}) {
      flip(log, offset);
      assertThat(refused(RestoreOptions.DEFAULT, KvErrorCode.CORRUPT)).contains(backup.toString());
      flip(log, offset);
    }
  }

  @Test
  void restoresTheLogUpToTheTargetDespiteLaterDamage() throws Exception {
    RestoreOptions withLog = RestoreOptions.DEFAULT.withLog(run);
    List<Path> log = files(run, "log-", "");
    Path damaged = log.get(log.size() - 2);
    flip(damaged, Files.size(damaged) / 2);
    assertThat(refused(withLog, KvErrorCode.CORRUPT)).contains(damaged.toString());
    long until = manifest.through() + 5;
    assertThat(restore(withLog.until(Versionstamp.of(until)))).isEqualTo(until);
  }

  @Test
  void rejectsAGapInTheLog() throws Exception {
    Path copy = Files.createDirectory(temp.resolve("copy"));
    for (Path file : files(run, "", "")) {
      if (!file.endsWith("lock")) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    RestoreOptions withLog = RestoreOptions.DEFAULT.withLog(copy);
    List<Path> log = files(copy, "log-", "");
    Files.delete(log.get(log.size() - 2));
    assertThat(refused(withLog, KvErrorCode.CORRUPT)).contains("missing");
    for (Path segment : log.subList(0, log.size() - 1)) {
      Files.deleteIfExists(segment);
    }
    refused(withLog, KvErrorCode.COMPACTED);
    Files.delete(log.get(log.size() - 1));
    refused(withLog, KvErrorCode.CORRUPT);
  }
}
