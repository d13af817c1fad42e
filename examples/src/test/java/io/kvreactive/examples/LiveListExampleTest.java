package io.kvreactive.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvKey;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LiveListExampleTest {
  @RegisterExtension final MemoryStore store = new MemoryStore();
  private static final String TOKEN = "token-of-the-guest-book";
  private WebService service;

  @BeforeEach
  void start() {
    GuestBookVerticle guestBook = new GuestBookVerticle(store.kv(), TOKEN, 0);
    service = new WebService(store.vertx(), guestBook, guestBook::url);
  }

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void servesThePageAndItsRequests() throws Exception {
    assertThat(service.get("/").body()).contains("<title>Guest book</title>");

    String key = "%5B%22guests%22,%222026%22%5D";
    assertThat(service.put("/kv/api/v1/entry?key=" + key, "\"Ada\"", TOKEN).statusCode())
        .isEqualTo(200);
    assertThat(MemoryStore.await(store.kv().get(KvKey.of("guests", "2026"))).value())
        .isEqualTo("Ada");
    assertThat(
            service.webSocketAnswers(
                "/kv/api/v1/stream",
                TOKEN,
                """
                {"op":"changes","id":1,"prefix":["guests"],"list":true,"credit":200}\
                """))
        .contains("\"value\":\"Ada\"");
  }

  @Test
  void refusesCallersWithoutTheToken() throws Exception {
    AnonymousAttack.isRefused(service.uri("/kv"), TOKEN);
  }
}
