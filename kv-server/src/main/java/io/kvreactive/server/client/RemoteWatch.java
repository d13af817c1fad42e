package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvKey;
import io.kvreactive.json.KvJson;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A watch of keys of a server. After a lost connection, an unchanged state is not passed on again.
 */
final class RemoteWatch {
  private final RestClient http;
  private final List<KvKey> keys;
  private final Consumer<ObjectNode> states;
  private final ReconnectLoop reconnect;
  private @Nullable JsonNode told;

  RemoteWatch(
      RestClient http, List<KvKey> keys, Consumer<ObjectNode> states, ReconnectLoop reconnect) {
    this.http = http;
    this.keys = keys;
    this.states = states;
    this.reconnect = reconnect;
  }

  /** Passes states to the consumer. Does not return normally. */
  void run() {
    ObjectNode watch = CliJson.object().put("op", "watch");
    keys.forEach(key -> watch.withArray("keys").add(KvJson.toJson(key)));
    reconnect.keep(() -> new RemoteSubscription(http, 1).follow(watch, this::state));
  }

  private void state(ObjectNode message) {
    reconnect.answered();
    ObjectNode state = message.without("type");
    JsonNode entries = state.path("entries");
    if (!entries.equals(told)) {
      states.accept(state);
      told = entries;
    }
  }
}
