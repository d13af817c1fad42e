package io.kvreactive.documents.client.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.QueryUpdate;
import io.kvreactive.http.client.StreamProtocol;
import io.kvreactive.protocol.JsonForm;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a watched query and their changes. It remembers the items of the rows with their
 * etags. After a loss the server sends all rows again, and the difference to those before is
 * emitted.
 */
final class LiveRowsProtocol<R> implements StreamProtocol<QueryUpdate<R>> {
  private record ItemKey(String id, PartitionKey partition) {}

  private final ObjectNode request;
  private final JsonForm<PartitionKey> partitionKey;
  private final Function<JsonNode, R> reader;
  private final Map<ItemKey, Versionstamp> known = new HashMap<>();
  private @Nullable Map<ItemKey, Versionstamp> unseen; // while rows are sent again
  private boolean hasBegun;
  private boolean isSynced;

  LiveRowsProtocol(
      ObjectNode request, JsonForm<PartitionKey> partitionKey, Function<JsonNode, R> reader) {
    this.request = request;
    this.partitionKey = partitionKey;
    this.reader = reader;
  }

  @Override
  public boolean isQuery() {
    return true;
  }

  @Override
  public ObjectNode request() {
    unseen = hasBegun ? new HashMap<>(known) : null;
    hasBegun = true;
    return request;
  }

  @Override
  public int receive(JsonNode message, Consumer<QueryUpdate<R>> elements) {
    String type = message.path("type").asText();
    switch (type) {
      case "insert", "update" -> put(message, elements);
      case "remove" -> remove(message, elements);
      case "listed" -> {
        listed(stamp(message), elements);
        return 0;
      }
      default -> {
        return 0; // of a later version of the server
      }
    }
    return 1;
  }

  private static Versionstamp stamp(JsonNode message) {
    return JsonForm.VERSIONSTAMP.read(message.path("versionstamp"));
  }

  private ItemKey key(JsonNode message) {
    return new ItemKey(
        message.path("item").asText(), partitionKey.read(message.path("partitionKey")));
  }

  private void put(JsonNode message, Consumer<QueryUpdate<R>> elements) {
    ItemKey key = key(message);
    Versionstamp stamp = stamp(message);
    Versionstamp before = known.put(key, stamp);
    boolean isAgain = unseen != null && unseen.remove(key) != null;
    if (isAgain && stamp.equals(before)) {
      return;
    }
    R row = reader.apply(message.path("row"));
    elements.accept(
        before == null
            ? new QueryUpdate.Insert<>(key.id(), key.partition(), row, stamp)
            : new QueryUpdate.Update<>(key.id(), key.partition(), row, stamp));
  }

  private void remove(JsonNode message, Consumer<QueryUpdate<R>> elements) {
    ItemKey key = key(message);
    known.remove(key);
    elements.accept(new QueryUpdate.Remove<>(key.id(), key.partition(), stamp(message)));
  }

  private void listed(Versionstamp stamp, Consumer<QueryUpdate<R>> elements) {
    Map<ItemKey, Versionstamp> gone = unseen;
    unseen = null;
    if (gone != null) {
      for (ItemKey key : gone.keySet()) {
        known.remove(key);
        elements.accept(new QueryUpdate.Remove<>(key.id(), key.partition(), stamp));
      }
    }
    if (!isSynced) {
      isSynced = true;
      elements.accept(new QueryUpdate.Synced<>(stamp));
    }
  }
}
