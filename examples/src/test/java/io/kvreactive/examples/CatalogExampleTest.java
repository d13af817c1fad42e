package io.kvreactive.examples;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CatalogExampleTest {
  @RegisterExtension final MemoryStore store = new MemoryStore();
  private final CapturedScreen captured = new CapturedScreen();

  @Test
  void queriesTheCatalogueBeforeAndAfterAddingAnIndex() {
    await(CatalogExample.run(store.kv(), captured.screen(false), 400));
    assertThat(captured.out())
        .contains("400 products (")
        .contains("does not have a corresponding composite index")
        .contains("the index is built; 100 %")
        .containsPattern("\"servedBy\" : \"composite#\\d+\"")
        .contains("400 items take ");
    CapturedScreen again = new CapturedScreen();
    await(CatalogExample.run(store.kv(), again.screen(false), 400));
    assertThat(again.out())
        .contains("400 products (", "are stored already")
        .contains("does not have a corresponding composite index")
        .contains("the index is built; 100 %")
        .doesNotContain("storing");
  }
}
