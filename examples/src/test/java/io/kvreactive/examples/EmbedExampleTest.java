package io.kvreactive.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class EmbedExampleTest {
  @RegisterExtension final MemoryStore store = new MemoryStore();
  private WebService service;

  @BeforeEach
  void start() {
    ShopVerticle shop = new ShopVerticle(store.name(), "secret", 0);
    service = new WebService(store.vertx(), shop, shop::url);
  }

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void keepsTheRoutesOfTheShop() throws Exception {
    assertThat(service.get("/").body()).isEqualTo("Welcome! Visits so far: 1\n");
    assertThat(service.get("/").body()).isEqualTo("Welcome! Visits so far: 2\n");
  }

  @Test
  void allowsOnlyOperatorsToReachTheStore() throws Exception {
    AnonymousAttack.isRefused(service.uri("/kv"), "secret");
  }
}
