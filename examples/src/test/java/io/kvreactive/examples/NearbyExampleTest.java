package io.kvreactive.examples;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class NearbyExampleTest {
  @RegisterExtension final MemoryStore store = new MemoryStore();
  private final CapturedScreen captured = new CapturedScreen();

  @Test
  void findsPlacesByDistance() {
    await(NearbyExample.run(store.kv(), captured.screen(false), 2000));
    assertThat(captured.out())
        .contains(" places with their index entries in ")
        .contains("\"Europe-Prague\"")
        .containsPattern("ms by spatial#\\d+, ")
        .contains("\"Europe-Berlin\"");
  }
}
