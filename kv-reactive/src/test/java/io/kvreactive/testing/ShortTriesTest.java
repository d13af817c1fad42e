package io.kvreactive.testing;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;

class ShortTriesTest {
  private static int tries;

  @Property(tries = 500)
  @ShortTries(7)
  void endsAfterTheTriesOfTheForm(@ForAll int any) {
    tries++;
  }

  @AfterContainer
  static void hasCountedThem() {
    assertThat(tries).isEqualTo(Tries.of(7, 500));
  }
}
