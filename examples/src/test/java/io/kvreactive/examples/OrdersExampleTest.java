package io.kvreactive.examples;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OrdersExampleTest {
  @RegisterExtension final MemoryStore store = new MemoryStore();

  private CapturedScreen run(int orders) {
    CapturedScreen captured = new CapturedScreen();
    await(OrdersExample.run(store.kv(), captured.screen(false), orders));
    return captured;
  }

  @Test
  void billsAndShipsEachOrderOnce() {
    assertThat(run(20).lines())
        .containsExactly(
            "20 orders placed",
            "20 orders shipped by 2 members",
            "ada has 5 invoices of 50.40 together, 2 of them large",
            "bob has 5 invoices of 50.45 together, 2 of them large",
            "eve has 5 invoices of 50.50 together, 3 of them large",
            "joe has 5 invoices of 50.55 together, 3 of them large");
  }

  @Test
  void continuesInTheNextRun() {
    run(4);
    assertThat(run(4).lines())
        .contains(
            "4 orders shipped by 2 members",
            "ada has 2 invoices of 20.00 together, 0 of them large");
  }
}
