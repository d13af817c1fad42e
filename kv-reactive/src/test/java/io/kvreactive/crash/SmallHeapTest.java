package io.kvreactive.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.testing.ChildJvm;
import io.kvreactive.testing.Tries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A store of several times the heap is loaded, opened and read. */
class SmallHeapTest {
  private static final int ENTRIES = Tries.of(100_000, 500_000);
  private static final int VALUE_BYTES = Tries.of(1000, 100);
  private static final int HEAP_MIB = 48;

  @TempDir Path directory;

  @Test
  @Timeout(600) // a slow machine
  void loadsAndReadsAStoreSeveralTimesTheHeap() throws Exception {
    int read = (ENTRIES + SmallHeapChild.STEP - 1) / SmallHeapChild.STEP;
    try (ChildJvm child =
        ChildJvm.withHeap(
            HEAP_MIB, SmallHeapChild.class, directory.toString(), "" + ENTRIES, "" + VALUE_BYTES)) {
      List<String> lines = new ArrayList<>();
      String line;
      while ((line = child.readLine()) != null) {
        lines.add(line);
      }
      assertThat(lines).containsExactly(read + " of " + read, "" + ENTRIES, "" + ENTRIES, "done");
      assertThat(child.waitFor()).isZero();
    }
    assertThat(bytes()).isGreaterThan(2L * HEAP_MIB << 20);
  }

  private long bytes() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      long sum = 0;
      for (Path file : files.toList()) {
        sum += Files.size(file);
      }
      return sum;
    }
  }
}
