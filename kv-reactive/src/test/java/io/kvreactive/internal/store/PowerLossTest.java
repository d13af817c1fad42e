package io.kvreactive.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.kvreactive.KvValue;
import io.kvreactive.internal.store.image.PageCheck;
import io.kvreactive.internal.store.verify.Verification;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import io.kvreactive.testing.Seeds;
import io.kvreactive.testing.Tries;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Runs random commits, memtables and checkpoints on a recorded disk, then opens the state after a
 * power loss at many moments: every answered commit is present, and no commit is partial.
 */
class PowerLossTest {
  private static final int CRASHES = Tries.of(12, 60);

  @TempDir Path temp;

  /** The acknowledged versions by the number of operations that the disk had executed. */
  private record Answered(int ops, long version) {}

  @ParameterizedTest
  @Seeds(shortForm = 2, longForm = 6)
  void showsEveryAnsweredCommitWhollyAfterPowerLoss(long seed) throws Exception {
    boolean sync = seed % 2 == 1;
    Random random = new Random(seed);
    RecordingDisk disk = new RecordingDisk();
    StoreModel model = new StoreModel(random);
    List<Answered> answered = new ArrayList<>();
    List<Answered> seen = new ArrayList<>();
    AtomicBoolean writeImage = new AtomicBoolean();
    Store store =
        Store.open(options(temp.resolve("run"), disk, sync, model), () -> writeImage.set(true));
    Compaction compaction = null;
    int replaced = 0;
    for (int batch = 0; batch < 300; batch++) {
      for (int i = random.nextInt(4); i >= 0; i--) {
        model.commitTo(store);
      }
      store.publish();
      seen.add(new Answered(disk.count(), store.visible()));
      if (random.nextInt(20) == 0) {
        model.pass();
      }
      if (compaction == null && random.nextInt(30) == 0) {
        compaction = store.image().compaction();
      }
      if (compaction != null && random.nextInt(3) == 0 && compaction.step(1)) {
        store.image().replace(compaction);
        store.imageReplaced();
        compaction = null;
        replaced++;
      }
      if (random.nextInt(5) == 0) {
        model.sweep(store, 1 + random.nextInt(50));
      }
      if (!sync && random.nextInt(20) == 0) {
        store.syncLog();
      }
      if (sync || random.nextInt(40) == 0) {
        store.syncLog();
        answered.add(new Answered(disk.count(), model.lastVersion()));
      }
      if (writeImage.get() && random.nextInt(3) == 0) {
        writeImage.set(false);
        assertThat(store.image().write()).isTrue();
        store.imageWritten();
      }
    }
    model.verify(store, model.lastVersion());
    assertThat(replaced).as("rebuilt images").isPositive();
    if (compaction != null) {
      compaction.abandon();
    }
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
      long shown =
          seen.stream().filter(a -> a.ops() <= crash).mapToLong(Answered::version).max().orElse(0);
      verifyAfter(ops, crash, least, shown, model, random, temp.resolve("crash" + i));
    }
  }

  private static void verifyAfter(
      List<RecordingDisk.Op> ops,
      int crash,
      long least,
      long shown,
      StoreModel model,
      Random random,
      Path directory)
      throws IOException {
    Files.createDirectories(directory);
    PowerLoss.materialise(ops, crash, random, directory);
    if (least > 0) {
      verifySound(directory);
    }
    RecordingDisk disk = new RecordingDisk();
    AtomicBoolean writeImage = new AtomicBoolean();
    Store store = Store.open(options(directory, disk, true, model), () -> writeImage.set(true));
    store.start();
    long version;
    try (StoreSnapshot snapshot = store.snapshot()) {
      version = snapshot.version();
    }
    assertThat(version)
        .as("crash after %d of %d", crash, ops.size())
        .isBetween(least, model.lastVersion());
    model.verify(store, version);
    if (writeImage.get()) {
      assertThat(store.image().write()).isTrue();
      store.imageWritten();
      model.verify(store, version);
    }
    verifyIndexes(store, model);
    store.close();
    PageCheck.all(disk, directory, bad -> fail(bad.toString()));

    Store again = Store.open(options(directory, disk, true, model), () -> {});
    model.verify(again, version);
    verifyNoStampIsGivenAgain(again, version, shown);
    again.close();
  }

  /** Readers may have seen versions that the power loss took back. */
  private static void verifyNoStampIsGivenAgain(Store store, long version, long shown) {
    assertThat(store.isLost(version)).as("the newest version").isFalse();
    for (long lost = version + 1; lost <= shown; lost++) {
      assertThat(store.isLost(lost)).as("version %d of %d", lost, shown).isTrue();
    }
    Commit commit =
        Commit.of(
            new Mutation.Set(
                new byte[] {'n'}, new KvValue(KvValue.Encoding.BYTES, new byte[] {1})));
    long given = store.stage(commit).versionstamp().version();
    store.publish();
    assertThat(given).as("given after version %d was seen", shown).isGreaterThan(shown);
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

  /** The indexes contain exactly the keys with an expiry. */
  private static void verifyIndexes(Store store, StoreModel model) {
    try (StoreSnapshot snapshot = store.snapshot()) {
      StoreView view = snapshot.enter();
      Set<String> due = new TreeSet<>();
      ExpiryScan.of(view, new byte[0], Integer.MAX_VALUE, false)
          .expired()
          .forEach(one -> due.add(new String(one.key(), StandardCharsets.US_ASCII)));
      Set<String> expired = new TreeSet<>();
      ViewCursor all = view.at(0).range(new byte[0], new byte[] {(byte) 0xFF}, false);
      while (all.next()) {
        if (all.expireAt() != 0 && all.expireAt() <= model.now()) {
          expired.add(new String(all.key(), StandardCharsets.US_ASCII));
        }
      }
      assertThat(due).isEqualTo(expired);
      snapshot.leave();
    }
  }

  private static StoreOptions options(
      Path directory, RecordingDisk disk, boolean sync, StoreModel model) {
    return StoreOptions.of(directory, disk, sync, 100_000, 60_000, 40_000)
        .withClocks(model.clocks());
  }
}
