package io.kvreactive.examples;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CacheExampleTest {
  @RegisterExtension final MemoryStore store = new MemoryStore();
  private final CapturedScreen captured = new CapturedScreen();

  @Test
  void expiresAndRemovesUnusedEntries() {
    await(CacheExample.run(store.kv(), captured.screen(false), 100));
    assertThat(captured.out())
        .containsPattern("the second call took .*: sunny in Lima")
        .containsPattern("100 calls: \\d+ hits")
        .containsPattern("last present \\d+ ms before its expiry, and absent \\d+ ms after it")
        .containsPattern("the store has removed \\d+ expired entries")
        .endsWith("left: 0\n");
  }
}
