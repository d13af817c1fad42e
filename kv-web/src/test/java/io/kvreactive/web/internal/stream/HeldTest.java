package io.kvreactive.web.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HeldTest {
  private final Held held = new Held(100);

  @Test
  void whatWasAskedIsBounded() {
    assertThat(held.keep(60)).isTrue();
    assertThat(held.keep(41)).isFalse();
    assertThat(held.keep(40)).isTrue();
    held.forget(60);
    assertThat(held.keep(60)).isTrue();
  }

  @Test
  void whatWasReadIsBoundedAndALargeOnePasses() {
    assertThat(held.take(1000)).isTrue();
    assertThat(held.take(1)).isFalse();
    held.give(1000);
    assertThat(held.take(60)).isTrue();
    assertThat(held.take(41)).isFalse();
    assertThat(held.take(40)).isTrue();
    assertThat(held.read()).isEqualTo(100);
  }

  @Test
  void whatIsThereAlreadyIsCounted() {
    held.add(100);
    held.add(1);
    assertThat(held.take(1)).isFalse();
    assertThat(held.take(1000)).isFalse();
    held.give(101);
    assertThat(held.take(1)).isTrue();
  }

  @Test
  void aLargeOneNeedNotWaitUntilNothingIsHeld() {
    assertThat(held.take(60)).isTrue();
    assertThat(held.take(1000)).isTrue();
    assertThat(held.take(1000)).as("a second one").isFalse();
    assertThat(held.take(1)).isFalse();
    held.give(1000);
    assertThat(held.take(40)).isTrue();
  }
}
