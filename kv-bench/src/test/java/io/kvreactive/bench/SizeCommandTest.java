package io.kvreactive.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.bench.load.SizeCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The formula of docs/guide/sizing.md is a close upper bound of the disk space. */
@Timeout(600)
class SizeCommandTest {
  @TempDir Path directory;

  @Test
  void estimatesTheDiskSpaceOfEntriesAndItems() throws Exception {
    assertThat(SizeCommand.measure(directory, 16))
        .hasSize(9)
        .allSatisfy(
            space ->
                assertThat(space.measured())
                    .as(space.name())
                    .isGreaterThan(space.content())
                    .isLessThan(space.estimated())
                    .isGreaterThan(space.estimated() / 3));
  }

  @Test
  void documentsTheConstantsOfTheFormula() throws Exception {
    assertThat(Files.readString(Path.of("..", "docs", "guide", "sizing.md")))
        .contains("+ " + SizeCommand.ENTRY_OVERHEAD)
        .contains("× " + SizeCommand.INDEX_ENTRY)
        .contains("/ " + String.format(Locale.ROOT, "%.1f", SizeCommand.FILLED));
  }
}
