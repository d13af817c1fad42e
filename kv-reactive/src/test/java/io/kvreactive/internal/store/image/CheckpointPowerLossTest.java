package io.kvreactive.internal.store.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.kvreactive.internal.store.PowerLoss;
import io.kvreactive.internal.store.RecordingDisk;
import io.kvreactive.testing.Seeds;
import io.kvreactive.testing.Tries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * A power loss at every operation of some checkpoints: pages are old or new, and match their
 * checksums.
 */
class CheckpointPowerLossTest {
  private static final int PAGES = 1100; // of two blocks of checksums

  @TempDir Path temp;

  /** The state after a checkpoint, and the number of operations that the disk has executed. */
  private record State(int ops, TreeMap<Long, Long> values) {}

  @ParameterizedTest
  @Seeds(shortForm = 1, longForm = 4)
  void keepsPagesAndChecksumsOfOneCheckpoint(long seed) throws IOException {
    Random random = new Random(seed);
    RecordingDisk disk = new RecordingDisk();
    List<State> states = new ArrayList<>();
    states.add(new State(0, new TreeMap<>()));
    try (Checkpoint checkpoint =
        Checkpoint.open(disk, Files.createDirectory(temp.resolve("run")))) {
      for (int i = 0; i < Tries.of(3, 5); i++) {
        TreeMap<Long, Long> values = new TreeMap<>(states.get(i).values);
        change(checkpoint.pager(), values, random);
        checkpoint.write();
        states.add(new State(disk.count(), values));
      }
    }
    for (int crash = 0; crash <= disk.count(); crash++) {
      Path directory = Files.createDirectory(temp.resolve("crash" + crash));
      PowerLoss.materialise(disk.ops(), crash, random, directory);
      verify(directory, crash, states);
      PageCheck.all(new RecordingDisk(), directory, bad -> fail(bad.toString()));
      try (var files = Files.list(directory)) {
        for (Path file : files.toList()) {
          Files.delete(file); // large in total
        }
      }
    }
  }

  private static void change(Pager pager, TreeMap<Long, Long> values, Random random) {
    for (int n = 1 + random.nextInt(20); n > 0; n--) {
      long page = random.nextInt(PAGES);
      long value = random.nextLong();
      pager.ensureAvailable((page + 1) * Pager.PAGE);
      pager.putLong(page * Pager.PAGE, value);
      pager.putLong((page + 1) * Pager.PAGE - Long.BYTES, value);
      values.put(page, value);
    }
  }

  private static void verify(Path directory, int crash, List<State> states) throws IOException {
    TreeMap<Long, Long> found = new TreeMap<>();
    try (Checkpoint checkpoint = Checkpoint.open(new RecordingDisk(), directory)) {
      Pager pager = checkpoint.pager();
      for (long page = 0; page * Pager.PAGE < pager.length(); page++) {
        long value = pager.getLong(page * Pager.PAGE);
        assertThat(pager.getLong((page + 1) * Pager.PAGE - Long.BYTES)).isEqualTo(value);
        if (value != 0) {
          found.put(page, value);
        }
      }
    }
    int last = 0;
    while (last + 1 < states.size() && states.get(last + 1).ops <= crash) {
      last++;
    }
    List<TreeMap<Long, Long>> possible = new ArrayList<>();
    possible.add(states.get(last).values);
    if (last + 1 < states.size()) {
      possible.add(states.get(last + 1).values);
    }
    assertThat(possible).as("crash after %d", crash).contains(found);
  }
}
