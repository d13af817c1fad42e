package io.kvreactive.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Runs random commits, generations and checkpoints on a recorded disk, then opens what a power loss
 * at many moments would have left: every answered commit is there whole, and nothing is there half.
 */
class PowerLossTest {
  private static final int CRASHES = 60;

  @TempDir Path temp;

  /** The versions that were answered when the disk had done so many operations. */
  private record Answered(int ops, long version) {}

  @ParameterizedTest
  @CsvSource({"1,true", "2,true", "3,true", "4,false", "5,false"})
  void openAfterPowerLossShowsEveryAnsweredCommitWhole(long seed, boolean sync) throws Exception {
    Random random = new Random(seed);
    RecordingDisk disk = new RecordingDisk();
    StoreModel model = new StoreModel(random);
    List<Answered> answered = new ArrayList<>();
    AtomicBoolean writeImage = new AtomicBoolean();
    Store store = Store.open(options(temp.resolve("run"), disk, sync), () -> writeImage.set(true));
    for (int batch = 0; batch < 300; batch++) {
      for (int i = random.nextInt(4); i >= 0; i--) {
        model.commitTo(store);
      }
      store.publish();
      if (!sync && random.nextInt(20) == 0) {
        store.syncLog();
      }
      if (sync || random.nextInt(40) == 0) {
        store.syncLog();
        answered.add(new Answered(disk.count(), model.lastVersion()));
      }
      if (writeImage.get() && random.nextInt(3) == 0) {
        writeImage.set(false);
        assertThat(store.writeImage()).isTrue();
        store.imageWritten();
      }
    }
    model.verify(store, model.lastVersion());
    store.close();
    assertThat(disk.ops().stream().filter(op -> op instanceof RecordingDisk.Op.Delete).count())
        .as("log segments were dropped, so the image was in use")
        .isGreaterThan(3);

    List<RecordingDisk.Op> ops = disk.ops();
    for (int i = 0; i < CRASHES; i++) {
      int crash = 1 + random.nextInt(ops.size());
      long least =
          answered.stream()
              .filter(a -> a.ops() <= crash)
              .mapToLong(Answered::version)
              .max()
              .orElse(0);
      verifyAfter(ops, crash, least, model, random, temp.resolve("crash" + i));
    }
  }

  private static void verifyAfter(
      List<RecordingDisk.Op> ops,
      int crash,
      long least,
      StoreModel model,
      Random random,
      Path directory)
      throws IOException {
    Files.createDirectories(directory);
    PowerLoss.materialise(ops, crash, random, directory);
    RecordingDisk disk = new RecordingDisk();
    AtomicBoolean writeImage = new AtomicBoolean();
    Store store = Store.open(options(directory, disk, true), () -> writeImage.set(true));
    store.start();
    long version;
    try (Snapshot snapshot = store.snapshot()) {
      version = snapshot.version();
    }
    assertThat(version)
        .as("crash after %d of %d", crash, ops.size())
        .isBetween(least, model.lastVersion());
    model.verify(store, version);
    if (writeImage.get()) {
      assertThat(store.writeImage()).isTrue();
      store.imageWritten();
      model.verify(store, version);
    }
    store.close();

    Store again = Store.open(options(directory, disk, true), () -> {});
    model.verify(again, version);
    again.close();
  }

  private static StoreOptions options(Path directory, RecordingDisk disk, boolean sync) {
    return new StoreOptions(directory, disk, sync, 100_000, 60_000, 40_000);
  }
}
