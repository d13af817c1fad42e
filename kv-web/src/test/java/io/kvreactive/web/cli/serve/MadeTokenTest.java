package io.kvreactive.web.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MadeTokenTest {
  /**
   * One of 64 would begin with a dash: that none of 2,000 does by chance is out of the question.
   */
  @Test
  void isNoFlag() {
    for (int i = 0; i < 2000; i++) {
      assertThat(ServerSetup.makeToken()).matches("[A-Za-z0-9_][A-Za-z0-9_-]{31}");
    }
  }
}
