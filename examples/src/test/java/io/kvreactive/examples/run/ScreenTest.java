package io.kvreactive.examples.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.examples.CapturedScreen;
import org.junit.jupiter.api.Test;

class ScreenTest {
  private final CapturedScreen captured = new CapturedScreen();

  @Test
  void replacesTheStatusLineOnATerminal() {
    Screen screen = captured.screen(true);
    screen.status("1 of 2");
    screen.status("2 of 2");
    screen.line("done");
    assertThat(captured.out())
        .isEqualToNormalizingNewlines("\r\033[K1 of 2\r\033[K2 of 2\r\033[Kdone\n");
  }

  @Test
  void printsStatusLinesWithoutATerminal() {
    Screen screen = captured.screen(false);
    screen.status("1 of 2");
    screen.line("%d %%", 100);
    screen.line("100 %");
    assertThat(captured.lines()).containsExactly("1 of 2", "100 %", "100 %");
  }
}
