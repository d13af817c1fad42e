package io.kvreactive.examples;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class QueueExampleTest {
  @RegisterExtension final MemoryStore store = new MemoryStore();

  private CapturedScreen run(int orders) {
    CapturedScreen captured = new CapturedScreen();
    await(QueueExample.run(store.kv(), captured.screen(false), orders));
    return captured;
  }

  @Test
  void retriesFailedPaymentsAndGivesUpOne() {
    assertThat(run(5).out())
        .contains("5 orders placed")
        .contains("attempt 1: order 1 is paid")
        .contains("attempt 1: order 2 was declined; to be retried")
        .contains("attempt 3: order 2 is paid")
        .contains("attempt 3: order 3 was declined; given up")
        .contains("order 3 has failed for good")
        .endsWith("5 orders in all; 4 letters wait in the queue: run this again\n");
  }

  @Test
  void keepsDelayedMessagesForTheNextRun() {
    run(2);
    assertThat(run(1).out())
        .startsWith("2 letters are in the queue since the last run")
        .contains("thanked for order 1", "thanked for order 2")
        .endsWith("3 orders in all; 0 letters wait in the queue: run this again\n");
  }
}
