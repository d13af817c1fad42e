package io.kvreactive.examples;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class UlidExampleTest {
  @RegisterExtension final MemoryStore store = new MemoryStore();
  private final CapturedScreen captured = new CapturedScreen();

  @Test
  void keepsTheOrderOfCreationWithMonotonicUlids() {
    await(UlidExample.run(store.kv(), captured.screen(false)));
    assertThat(captured.out())
        .contains("monotonic ULID:  999 of 999 events")
        .containsPattern("newest: [0-9A-Z]{26} of \\S+Z, event 1000")
        .containsSubsequence("event 1000", "event 999", "event 998")
        .containsPattern("since .*: 1,000 events");
  }
}
