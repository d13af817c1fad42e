package io.kvreactive.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.testkit.ChildJvm;
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
  private static final int ENTRIES = 500_000;
  private static final int HEAP_MIB = 48;

  @TempDir Path directory;

  @Test
  @Timeout(600) // a slow machine
  void loadsAndReadsAStoreSeveralTimesTheHeap() throws Exception {
    assertThat(run("load")).containsExactly("done");
    assertThat(bytes()).isGreaterThan(2L * HEAP_MIB << 20);

    assertThat(run("read")).containsExactly("5155 of 5155", "" + ENTRIES, "" + ENTRIES, "done");
  }

  private List<String> run(String what) throws IOException, InterruptedException {
    List<String> lines = new ArrayList<>();
    try (ChildJvm child =
        ChildJvm.withHeap(
            HEAP_MIB, SmallHeapChild.class, what, directory.toString(), "" + ENTRIES)) {
      String line;
      while ((line = child.readLine()) != null) {
        lines.add(line);
      }
      assertThat(child.waitFor()).isZero();
    }
    return lines;
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
