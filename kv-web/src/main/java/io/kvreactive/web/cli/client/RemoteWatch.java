package io.kvreactive.web.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvKey;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The state of keys of a server; after a lost connection told only if it is another one. */
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

  /** Hands over states; does not return. */
  void run() {
    reconnect.keep(() -> new WatchSocket(http).watch(keys, this::state));
  }

  private void state(ObjectNode state) {
    reconnect.answered();
    JsonNode entries = state.path("entries");
    if (!entries.equals(told)) {
      states.accept(state);
      told = entries;
    }
  }
}
