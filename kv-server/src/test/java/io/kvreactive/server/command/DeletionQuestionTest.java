package io.kvreactive.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvKey;
import io.kvreactive.server.client.CliJson;
import io.kvreactive.server.client.KeySelection;
import io.kvreactive.server.client.RestClient;
import io.kvreactive.server.client.Target;
import io.kvreactive.web.ServerOptions;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The question before a deletion, with and without READ access. */
@ExtendWith(VertxExtension.class)
class DeletionQuestionTest {
  private static final KeySelection RANGE = new KeySelection(KvKey.of("users"), null, null);

  @TempDir Path directory;

  @Test
  void asksWithoutTheNumberIfNothingCanBeCounted(Vertx vertx) throws Exception {
    try (TestServer server = TestServer.start(vertx, ServerOptions.at(directory))) {
      RestClient admin = client(server, TestServer.TOKEN);
      Target reader = Target.of(admin, notice -> {});
      assertThat(DelCommand.question(reader, RANGE)).isEmpty();
      admin.json(
          "PUT", "/api/v1/entry", Map.of("key", "[\"users\",1]"), CliJson.object().put("a", 1));
      reader.documents().create("people", CliJson.object());
      ObjectNode scope = CliJson.object().put("name", "writer");
      scope.putArray("access").add("WRITE");
      ObjectNode made = admin.json("POST", "/api/v1/tokens", Map.of(), scope);
      Target writer = Target.of(client(server, made.path("token").asText()), notice -> {});
      CollectionCommand.Delete delete = new CollectionCommand.Delete();
      delete.name = "people";

      assertThat(DelCommand.question(reader, RANGE)).isEqualTo("Delete 1 key?");
      assertThat(DelCommand.question(writer, RANGE)).isEqualTo("Delete all keys of the range?");
      assertThat(delete.question(reader))
          .isEqualTo("Delete the collection \"people\" with 0 items?");
      assertThat(delete.question(writer))
          .isEqualTo("Delete the collection \"people\" with all of its items?");
    }
  }

  private static RestClient client(TestServer server, String token) {
    String url = server.uri("").toString();
    return new RestClient(URI.create(url.replaceAll("/$", "")), token, TestServer.TIMEOUT, null);
  }
}
