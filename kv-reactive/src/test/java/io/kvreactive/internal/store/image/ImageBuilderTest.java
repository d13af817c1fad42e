package io.kvreactive.internal.store.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.internal.store.FaultyDisk;
import io.kvreactive.internal.store.PowerLoss;
import io.kvreactive.internal.store.RecordingDisk;
import io.kvreactive.internal.store.RecordingDisk.Op;
import io.kvreactive.internal.store.file.Disk;
import io.kvreactive.internal.store.file.FileDisk;
import io.kvreactive.internal.store.image.nodes.ImageRecord;
import io.kvreactive.testing.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** An image exists after it is finished, and not before. */
class ImageBuilderTest {
  private static final int ENTRIES = 3000;

  @TempDir Path directory;

  private static byte[] key(int i) {
    return new byte[] {(byte) (i >> 16), (byte) (i >> 8), (byte) i};
  }

  private static KvValue value(int i) {
    return new KvValue(KvValue.Encoding.BYTES, new byte[i % 300]);
  }

  private ImageBuilder create(Disk disk) throws IOException {
    return ImageBuilder.create(disk, directory, 100_000);
  }

  private static void addAll(ImageBuilder builder) throws IOException {
    for (int i = 0; i < ENTRIES; i++) {
      builder.add(key(i), 5, value(i), 0);
    }
  }

  private static void verify(SortedImage image) {
    assertThat(image.version()).isEqualTo(9);
    Iterator<?> all = image.range(key(0), key(ENTRIES), false);
    for (int i = 0; i < ENTRIES; i++) {
      ImageRecord record = image.find(key(i));
      assertThat(record).isNotNull();
      assertThat(image.load(record)).isEqualTo(value(i));
      all.next();
    }
    assertThat(all.hasNext()).isFalse();
  }

  private static void isNotWhole(Path directory) {
    assertThatThrownBy(() -> SortedImage.open(new FileDisk(), directory))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.CORRUPT))
        .hasMessageContaining("belongs to an unfinished image");
  }

  @Test
  void requiresAscendingKeys() throws IOException {
    try (ImageBuilder builder = create(new FileDisk())) {
      builder.add(key(7), 5, value(7), 0);
      for (int wrong : new int[] {7, 6, 0}) {
        assertThatThrownBy(() -> builder.add(key(wrong), 5, value(1), 0))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("key: 00000%d (expected: after 000007)", wrong);
      }
      builder.add(key(8), 5, value(8), 0);
      builder.finish(5);
    }
    try (SortedImage image = SortedImage.open(new FileDisk(), directory)) {
      assertThat(image.find(key(7))).isNotNull();
      assertThat(image.find(key(6))).isNull();
      assertThat(image.find(key(8))).isNotNull();
    }
  }

  @Test
  void writesPagesDuringTheBuildAndMarksTheImageWholeAtTheEnd() throws IOException {
    try (ImageBuilder builder = create(new FileDisk())) {
      addAll(builder);
      assertThat(Files.size(directory.resolve("image.db"))).isPositive();
      isNotWhole(directory);
      builder.finish(9);
    }
    try (SortedImage image = SortedImage.open(new FileDisk(), directory)) {
      verify(image);
    }
  }

  @Test
  void leavesNoFilesOfAnAbandonedImage() throws IOException {
    ImageBuilder abandoned = create(new FileDisk());
    addAll(abandoned);
    abandoned.abandon();
    assertThat(directory).isEmptyDirectory();
    try (ImageBuilder closed = create(new FileDisk())) {
      addAll(closed);
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void keepsAFinishedImage() throws IOException {
    ImageBuilder builder = create(new FileDisk());
    addAll(builder);
    builder.finish(9);
    builder.abandon();
    assertThatThrownBy(() -> builder.add(key(ENTRIES), 5, value(0), 0))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> builder.finish(10)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> create(new FileDisk())).isInstanceOf(IllegalStateException.class);
    try (SortedImage image = SortedImage.open(new FileDisk(), directory)) {
      verify(image);
    }
  }

  @Test
  void doesNotReplaceAnUntouchedImage() throws IOException {
    SortedImage.open(new FileDisk(), directory).close();
    assertThatThrownBy(() -> create(new FileDisk())).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void leavesNoFilesAfterAFullDisk() throws IOException {
    FaultyDisk disk = new FaultyDisk();
    try (ImageBuilder builder = create(disk)) {
      disk.fullFor = "image";
      disk.writesLeft = 20;
      assertThatThrownBy(
              () -> {
                addAll(builder);
                builder.finish(9);
              })
          .isInstanceOf(IOException.class);
      disk.fullFor = "nothing";
      assertThatThrownBy(() -> builder.finish(9)).isInstanceOf(IllegalStateException.class);
      isNotWhole(directory);
    }
    assertThat(directory).isEmptyDirectory();
    try (ImageBuilder builder = create(disk)) {
      addAll(builder);
      builder.finish(9);
    }
    try (SortedImage image = SortedImage.open(disk, directory)) {
      verify(image);
    }
  }

  @ParameterizedTest
  @Seeds(shortForm = 1, longForm = 3)
  void leavesAWholeImageOrNoneAfterPowerLoss(long seed) throws IOException {
    RecordingDisk disk = new RecordingDisk();
    int started;
    try (ImageBuilder builder =
        ImageBuilder.create(disk, Files.createDirectory(directory.resolve("run")), 400_000)) {
      started = disk.count();
      addAll(builder);
      builder.finish(9);
    }
    List<Op> ops = disk.ops();
    assertThat(ops.get(ops.size() - 1)).isEqualTo(new Op.Sync("image.sums"));
    Random random = new Random(seed);
    for (int i = 0; i <= ops.size() + 20; i++) {
      int crash =
          i <= ops.size()
              ? i
              : ops.size() - 1; // more often near the end, where the image may be complete or not
      Path left = Files.createDirectory(directory.resolve("crash" + i));
      PowerLoss.materialise(ops, crash, random, left);
      if (crash == ops.size() || crash == ops.size() - 1 && isMarkedWhole(left)) {
        PageCheck.all(new FileDisk(), left, bad -> fail(bad.toString()));
        try (SortedImage image = SortedImage.open(new FileDisk(), left)) {
          verify(image);
        }
      } else if (crash >= started) {
        isNotWhole(left);
        try (ImageBuilder again = ImageBuilder.create(new FileDisk(), left, 1 << 20)) {
          addAll(again);
          again.finish(9);
        }
        try (SortedImage image = SortedImage.open(new FileDisk(), left)) {
          verify(image);
        }
      } else if (Files.exists(left.resolve("image.db"))) {
        assertThat(left.resolve("image.db")).isEmptyFile();
      }
      Checkpoint.delete(new FileDisk(), new ImageFiles(left, 0));
    }
  }

  private static boolean isMarkedWhole(Path left) throws IOException {
    byte[] sums = Files.readAllBytes(left.resolve("image.sums"));
    return sums[3] == 'S'; // of KVRSUMS1, not KVRBUILD
  }
}
