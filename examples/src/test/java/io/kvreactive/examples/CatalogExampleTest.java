package io.kvreactive.examples;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.examples.catalog.Products;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CatalogExampleTest {
  private static final Products PRODUCTS = Products.ofUnicode(); // apt-cache takes seconds

  @RegisterExtension final MemoryStore store = new MemoryStore();
  private final CapturedScreen captured = new CapturedScreen();

  @Test
  void queriesTheCatalogueBeforeAndAfterAddingAnIndex() {
    await(CatalogExample.run(store.kv(), captured.screen(false), 100, PRODUCTS));
    assertThat(captured.out())
        .contains("100 products (")
        .contains("does not have a corresponding composite index")
        .contains("the index is built; 100 %")
        .containsPattern("\"servedBy\" : \"composite#\\d+\"")
        .contains("100 items take ");
    CapturedScreen again = new CapturedScreen();
    await(CatalogExample.run(store.kv(), again.screen(false), 100, PRODUCTS));
    assertThat(again.out())
        .contains("100 products (", "are stored already")
        .contains("does not have a corresponding composite index")
        .contains("the index is built; 100 %")
        .doesNotContain("storing");
  }
}
