package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.kvreactive.json.Utf8;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The collections of a server. */
final class RemoteCollections implements TargetCollections {
  private static final String BASE = "/api/v1/collections";
  private static final String NDJSON = "application/x-ndjson";

  private final RestClient http;
  private final Consumer<String> notices;

  /**
   * Creates the collections of a server.
   *
   * @param notices the consumer of messages about lost and restored connections
   */
  RemoteCollections(RestClient http, Consumer<String> notices) {
    this.http = http;
    this.notices = notices;
  }

  private static String path(String name) {
    return BASE + "/" + encoded(name);
  }

  private static String path(String name, String id) {
    return path(name) + "/items" + (Utf8.isWellFormed(id) ? "/" + encoded(id) : "");
  }

  /**
   * Returns the query parameters of an item. An id with lone surrogates is a JSON string in the
   * query, because a path cannot contain them.
   */
  private static Map<String, String> query(String id, @Nullable JsonNode partition) {
    Map<String, String> query = new LinkedHashMap<>(partition(partition));
    if (!Utf8.isWellFormed(id)) {
      query.put("id", CliJson.print(TextNode.valueOf(id)));
    }
    return query;
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20").replace(".", "%2E");
  }

  private static Map<String, String> partition(@Nullable JsonNode partition) {
    return partition == null ? Map.of() : Map.of("partitionKey", CliJson.print(partition));
  }

  @Override
  public void list(Consumer<ObjectNode> collections) {
    http.json("GET", BASE, Map.of(), null)
        .path("collections")
        .forEach(each -> collections.accept((ObjectNode) each));
  }

  @Override
  public ObjectNode describe(String name, boolean sizes) {
    return http.json("GET", path(name), sizes ? Map.of("sizes", "true") : Map.of(), null);
  }

  @Override
  public ObjectNode define(String name, ObjectNode definition) {
    return http.json("PUT", path(name), Map.of(), definition);
  }

  @Override
  public ObjectNode create(String name, ObjectNode definition) {
    return http.create(path(name), definition);
  }

  @Override
  public void drop(String name) {
    var unused = http.json("DELETE", path(name), Map.of(), null);
  }

  @Override
  public void transformation(String name, Consumer<ObjectNode> progress) {
    lines(
        http.stream("GET", path(name) + "/transformation", Map.of(), NDJSON, null),
        line -> progress.accept(RemoteTarget.checked(line)));
  }

  @Override
  public ObjectNode item(String name, String id, @Nullable JsonNode partition) {
    return http.json("GET", path(name, id), query(id, partition), null);
  }

  @Override
  public ObjectNode put(String name, ObjectNode item) {
    String id = item.path("id").asText();
    return http.json("PUT", path(name, id), query(id, null), item);
  }

  @Override
  public void load(String name, InputStream lines, Consumer<ObjectNode> progress) {
    new RemoteLines(http, path(name) + "/load", "items")
        .sendAnyhow(
            new LineBatches(lines, RemoteLines.PART_BYTES, LineBatches.MAX_ITEM_BYTES), progress);
  }

  @Override
  public ObjectNode delete(String name, String id, @Nullable JsonNode partition) {
    return http.json("DELETE", path(name, id), query(id, partition), null);
  }

  private static Map<String, String> selection(Changes selected) {
    Map<String, String> query = new LinkedHashMap<>(partition(selected.partition()));
    query.put("mode", selected.mode());
    return query;
  }

  @Override
  public ObjectNode changes(String name, Changes selected, int limit) {
    Map<String, String> query = selection(selected);
    query.put("limit", Integer.toString(limit));
    if (selected.since() != null) {
      query.put("since", selected.since());
    }
    return http.json("GET", path(name) + "/changes", query, null);
  }

  @Override
  public void followChanges(String name, Changes selected, Consumer<ObjectNode> changes) {
    new RemoteFeed(
            http,
            path(name) + "/changes",
            "change",
            selection(selected),
            selected.since(),
            changes,
            new ReconnectLoop(notices))
        .run();
  }

  @Override
  public void deleteMany(String name, ObjectNode query, Consumer<ObjectNode> progress) {
    byte[] body = Utf8.json(query.toString());
    lines(
        http.stream("POST", path(name) + "/delete", Map.of(), "application/json", body),
        line -> progress.accept(RemoteTarget.checked(line)));
  }

  @Override
  public void query(String name, ObjectNode query, Consumer<JsonNode> rows) {
    byte[] body = Utf8.json(query.toString());
    lines(
        http.stream("POST", path(name) + "/query", Map.of(), NDJSON, body),
        line -> rows.accept(CliJson.typed("a row", line)));
  }

  @Override
  public ObjectNode explain(String name, ObjectNode query) {
    return http.json(
        "POST", path(name) + "/query", Map.of(), query.deepCopy().put("explain", "only"));
  }

  private void lines(BufferedReader from, Consumer<String> consumer) {
    try (BufferedReader reader = from) {
      String line = reader.readLine();
      while (line != null) {
        if (!line.isEmpty()) {
          consumer.accept(line);
        }
        line = reader.readLine();
      }
    } catch (IOException e) {
      throw http.lost(e);
    }
  }
}
