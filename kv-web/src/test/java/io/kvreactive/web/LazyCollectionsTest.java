package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Lazy collections, where a server allows them. */
class LazyCollectionsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PEOPLE = "/api/v1/collections/people";
  private static final String LAZY =
      """
      {"indexingPolicy": {"indexingMode": "Lazy", "includedPaths": [{"path": "/*"}]}}""";

  private static HttpResponse<String> create(TestServer server) throws Exception {
    return server.send(
        "PUT", PEOPLE, LAZY, request -> request.header("Content-Type", "application/json"));
  }

  @Test
  void areRefusedUnlessTheyAreAllowed() throws Exception {
    try (TestServer server = TestServer.start()) {
      HttpResponse<String> refused = create(server);
      assertThat(refused.statusCode()).isEqualTo(400);
      assertThat(refused.body()).contains("INVALID_POLICY").contains("lazy");
    }
  }

  @Test
  void catchUpInTheBackground() throws Exception {
    ServerOptions options =
        ServerOptions.inMemory().withOperations(OperationsOptions.DEFAULT.withAllowLazy(true));
    try (TestServer server = TestServer.start(options)) {
      HttpResponse<String> created = create(server);
      assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
      assertThat(created.body()).contains("\"indexingMode\":\"lazy\"");
      assertThat(server.post(PEOPLE + "/items", "{\"id\":\"ada\",\"age\":36}").statusCode())
          .isEqualTo(201);

      AtomicReference<JsonNode> answer = new AtomicReference<>();
      Conditions.await(
          () -> {
            String query = "{\"query\":\"SELECT * FROM c WHERE c.age = 36\",\"explain\":true}";
            answer.set(JSON.readTree(server.post(PEOPLE + "/query", query).body()));
            return answer.get().at("/plan/indexLag").asInt(-1) == 0
                && !answer.get().get("items").isEmpty();
          });
      assertThat(answer.get().at("/items/0/id").asText()).isEqualTo("ada");
    }
  }
}
