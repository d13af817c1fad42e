package io.kvreactive.examples;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.examples.run.Launcher;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UsersExampleTest {
  @TempDir Path directory;

  private CapturedScreen run() {
    CapturedScreen captured = new CapturedScreen();
    String[] args = {"--path", directory.toString()};
    Launcher launcher = new Launcher("users", captured.screen(false));
    assertThat(await(launcher.run(args, UsersExample::run))).isZero();
    assertThat(captured.err()).isEmpty();
    return captured;
  }

  @Test
  void showsEachStepInRepeatedRuns() {
    run();
    assertThat(run().out())
        .contains("insert Another Ada <ada@example.com>: rejected")
        .contains("10 tried, 1 inserted")
        .contains("ofColour green: [Ada, Alan, Barbara]")
        .contains("deleted: true")
        .contains("left: 3 users, 3 entries by e-mail address, 3 by colour")
        .containsPattern("clean up +found 6 of 6; 0 copies, 6 pointers");
  }
}
