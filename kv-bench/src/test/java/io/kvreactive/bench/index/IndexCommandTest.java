package io.kvreactive.bench.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class IndexCommandTest {
  @TempDir Path directory;

  @Test
  void measuresAllScenariosAndLeavesNoFiles() {
    String table =
        run("--items=300", "--rounds=1", "--seconds=0.05", "--warm-up=0.02", "--dir=" + directory);

    for (Measure measure : Measure.values()) {
      assertThat(table).contains(measure.title).contains(measure.against);
    }
    assertThat(table).contains("SQLite").contains("H2").contains("300 documents");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void failsOnAMissedTargetOnlyWhenStrict() {
    CommandLine line = new CommandLine(new IndexCommand());
    String[] scan = {
      "--items=1",
      "--rounds=3", // one of them may be delayed
      "--seconds=0.1",
      "--warm-up=0.1",
      "--only=SCAN",
      "--alone",
      "--dir=" + directory
    };
    // with one document, no index is 300 times faster than a scan
    assertThat(line.execute(scan)).isZero();
    String[] strict = java.util.Arrays.copyOf(scan, scan.length + 1);
    strict[scan.length] = "--strict";
    assertThat(new CommandLine(new IndexCommand()).execute(strict)).isEqualTo(1);
  }

  private static String run(String... arguments) {
    PrintStream before = System.out;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    try {
      assertThat(new CommandLine(new IndexCommand()).execute(arguments)).isZero();
    } finally {
      System.setOut(before);
    }
    return out.toString(StandardCharsets.UTF_8);
  }
}
