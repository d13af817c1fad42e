package io.kvreactive.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MadeTokenTest {
  /** An unchecked token begins with a dash with probability 1/64, so 2,000 tokens suffice. */
  @Test
  void neverLooksLikeAFlag() {
    for (int i = 0; i < 2000; i++) {
      assertThat(ServerSetup.makeToken()).matches("[A-Za-z0-9_][A-Za-z0-9_-]{31}");
    }
  }
}
