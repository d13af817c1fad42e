package io.kvreactive.web.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.web.internal.http.ByteBudget;
import org.junit.jupiter.api.Test;

class SubscriptionMemoryTest {
  private static final long OF_A_SUBSCRIPTION = 2 << 10;

  private final ByteBudget server = new ByteBudget("WebSockets", 1 << 20);
  private final SubscriptionMemory held = new SubscriptionMemory(100, server.share());

  @Test
  void limitsTheMemoryOfParameters() {
    assertThat(held.keep(60, 60)).isTrue();
    assertThat(held.keep(41, 41)).isFalse();
    assertThat(held.keep(40, 40)).isTrue();
    assertThat(server.taken()).isEqualTo(2 * OF_A_SUBSCRIPTION + 100);
    held.release(60, 60);
    assertThat(held.keep(60, 60)).isTrue();
    held.release(60, 60);
    held.release(40, 40);
    assertThat(server.taken()).isZero();
  }

  @Test
  void takesTheMemoryOfWritesFromTheServerOnly() {
    assertThat(held.keep(1000, 0)).isTrue();
    assertThat(held.keep(100, 100)).isTrue();
    assertThat(server.taken()).isEqualTo(2 * OF_A_SUBSCRIPTION + 1100);
    held.release(1000, 0);
    assertThat(held.keep(1, 1)).isFalse();
    held.release(100, 100);
    assertThat(server.taken()).isZero();
  }

  @Test
  void stopsReadingWhenTheServerHasNoMemory() {
    ByteBudget.Share others = server.share();
    others.take(server.most());
    assertThat(held.take(1)).isFalse();
    assertThat(held.isFull()).isTrue();
    assertThatThrownBy(() -> held.keep(1, 1))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.OVERLOADED));
    others.release();
    assertThat(held.isFull()).isFalse();
    assertThat(held.take(1)).isTrue();
    held.give(1);
    assertThat(server.taken()).isZero();
  }

  @Test
  void limitsReadAheadButAdmitsALargeElement() {
    assertThat(held.take(1000)).isTrue();
    assertThat(held.take(1)).isFalse();
    held.give(1000);
    assertThat(held.take(60)).isTrue();
    assertThat(held.take(41)).isFalse();
    assertThat(held.take(40)).isTrue();
    assertThat(held.read()).isEqualTo(100);
  }

  @Test
  void countsMemoryHeldBefore() {
    held.add(100);
    held.add(1);
    assertThat(held.take(1)).isFalse();
    assertThat(held.take(1000)).isFalse();
    held.give(101);
    assertThat(held.take(1)).isTrue();
  }

  @Test
  void admitsALargeElementWhileOthersAreHeld() {
    assertThat(held.take(60)).isTrue();
    assertThat(held.take(1000)).isTrue();
    assertThat(held.take(1000)).as("a second one").isFalse();
    assertThat(held.take(1)).isFalse();
    held.give(1000);
    assertThat(held.take(40)).isTrue();
  }
}
