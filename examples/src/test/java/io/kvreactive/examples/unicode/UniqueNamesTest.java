package io.kvreactive.examples.unicode;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UniqueNamesTest {
  private final UniqueNames names = new UniqueNames();

  @Test
  void appendsTheCodePointToARepeatedName() {
    assertThat(names.unique("BELL", 0x07)).isEqualTo("BELL");
    assertThat(names.unique("BELL", 0x1F514)).isEqualTo("BELL (U+1F514)");
  }

  @Test
  void givesEveryCharacterItsOwnName() {
    long different = Assigned.ALL.characters().map(CodePoint::name).distinct().count().block();
    assertThat(different).isEqualTo(Assigned.ALL.count());
  }
}
