package io.kvreactive.examples;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.examples.run.Size;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProjectionExampleTest {
  @TempDir Path directory;

  private String run() {
    CapturedScreen captured = new CapturedScreen();
    String[] args = {"--path", directory.toString(), "--orders", "20"};
    assertThat(
            await(
                ProjectionExample.launcher(captured.screen(false))
                    .run(args, new Size("orders", 200), ProjectionExample::run)))
        .isZero();
    assertThat(captured.err()).isEmpty();
    return captured.out();
  }

  @Test
  void matchesARecountInEachRun() {
    assertThat(run())
        .contains("started with all orders")
        .containsSubsequence(
            "stopped at", "20 orders placed, 40 in all", "resumed, and applied 31 commits")
        .endsWith("a recount of all orders gives the same totals\n");
    assertThat(run())
        .contains("an earlier run has reached")
        .endsWith("a recount of all orders gives the same totals\n");
  }
}
