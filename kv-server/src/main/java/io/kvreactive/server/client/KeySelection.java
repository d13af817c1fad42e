package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvKey;
import io.kvreactive.json.KvJson;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a command operates on; all keys if all components are null.
 *
 * @param prefix the prefix of the keys
 * @param start the first key, inclusive
 * @param end the end of the keys, exclusive
 */
public record KeySelection(@Nullable KvKey prefix, @Nullable KvKey start, @Nullable KvKey end) {
  /** Returns true if any component is present. */
  public boolean isExplicit() {
    return prefix != null || start != null || end != null;
  }

  /** Returns the selection as query parameters of the REST interface. */
  public Map<String, String> toQuery() {
    Map<String, String> query = new LinkedHashMap<>();
    toJson().properties().forEach(each -> query.put(each.getKey(), each.getValue().toString()));
    return query;
  }

  /** Returns the selection as members of a message. */
  public ObjectNode toJson() {
    ObjectNode json = CliJson.object();
    put(json, "prefix", prefix);
    put(json, "start", start);
    put(json, "end", end);
    return json;
  }

  private static void put(ObjectNode json, String name, @Nullable KvKey key) {
    if (key != null) {
      json.set(name, KvJson.toJson(key));
    }
  }
}
