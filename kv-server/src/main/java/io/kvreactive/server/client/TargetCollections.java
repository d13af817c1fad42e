package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.kvreactive.documents.FeedRange;
import io.kvreactive.http.client.ServerUrls;
import io.kvreactive.json.Utf8;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The collections of a store, in the forms of the REST interface. Methods behave like those of
 * {@link Target}.
 */
public final class TargetCollections {
  /**
   * The selection of a collection's changes.
   *
   * @param since the versionstamp or continuation after which to start; null for all changes that
   *     are kept, or {@code now}
   * @param mode {@code latest} or {@code all}
   * @param partition the partition key, a value or an array of values; null for all items
   * @param range the range of partition keys; null for all items
   */
  public record Changes(
      @Nullable String since,
      String mode,
      @Nullable JsonNode partition,
      @Nullable FeedRange range) {}

  private static final String BASE = "/api/v1/collections";

  private final RestClient http;
  private final Consumer<String> notices;

  /**
   * Creates the collections of a store.
   *
   * @param notices the consumer of messages about lost and restored connections
   */
  TargetCollections(RestClient http, Consumer<String> notices) {
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
    return ServerUrls.encoded(text).replace(".", "%2E");
  }

  private static Map<String, String> partition(@Nullable JsonNode partition) {
    return partition == null ? Map.of() : Map.of("partitionKey", CliJson.print(partition));
  }

  /** Lists all collections, ordered by name. */
  public void list(Consumer<ObjectNode> collections) {
    http.json("GET", BASE, Map.of(), null)
        .path("collections")
        .forEach(each -> collections.accept((ObjectNode) each));
  }

  /**
   * Returns the description of a collection.
   *
   * @param sizes true to count the items and the index entries
   */
  public ObjectNode describe(String name, boolean sizes) {
    return http.json("GET", path(name), sizes ? Map.of("sizes", "true") : Map.of(), null);
  }

  /** Creates a collection, or starts the transformation to another definition. */
  public ObjectNode define(String name, ObjectNode definition) {
    return http.json("PUT", path(name), Map.of(), definition);
  }

  /** Creates a collection. Fails with {@code ExitCode.NO} if it exists. */
  public ObjectNode create(String name, ObjectNode definition) {
    return http.json("PUT", path(name), Map.of(), definition, Precondition.ABSENT);
  }

  /** Drops a collection. */
  public void drop(String name) {
    var unused = http.json("DELETE", path(name), Map.of(), null);
  }

  /** Reports the progress of index builds until all indexes are complete. */
  public void transformation(String name, Consumer<ObjectNode> progress) {
    http.objects("GET", path(name) + "/transformation", Map.of(), null, progress);
  }

  /**
   * Returns an item.
   *
   * @param partition the partition key, a value or an array of values; null for none
   */
  public ObjectNode item(String name, String id, @Nullable JsonNode partition) {
    return http.json("GET", path(name, id), query(id, partition), null);
  }

  /** An item as written. */
  public record WrittenItem(ObjectNode item, boolean isCreated) {}

  /** Creates or replaces an item that meets a condition. */
  public WrittenItem put(String name, ObjectNode item, Precondition precondition) {
    String id = item.path("id").asText();
    RestClient.Answer answer =
        http.answer("PUT", path(name, id), query(id, null), item, precondition);
    return new WrittenItem(answer.body(), answer.status() == 201);
  }

  /**
   * Creates or replaces the items of lines of JSON.
   *
   * @param firstLine the number of the first line that is stored, from 1
   * @param progress the consumer of the progress, with the numbers of stored {@code items} and of
   *     the last line that is stored; called at least when all items are stored
   */
  public void load(String name, InputStream lines, long firstLine, Consumer<ObjectNode> progress) {
    LineBatches batches =
        new LineBatches(lines, RemoteLines.PART_BYTES, LineBatches.MAX_ITEM_BYTES)
            .startingAt(firstLine);
    new RemoteLines(http, path(name) + "/load", "items").sendEvenIfEmpty(batches, progress);
  }

  /** Deletes an item that meets a condition. */
  public ObjectNode delete(
      String name, String id, @Nullable JsonNode partition, Precondition precondition) {
    return http.json("DELETE", path(name, id), query(id, partition), null, precondition);
  }

  /**
   * Returns a page of at most {@code limit} changes, with the {@code continuation}.
   *
   * @param details true for changes with the times of their commits
   */
  public ObjectNode changes(String name, Changes selected, int limit, boolean details) {
    Map<String, String> query = new LinkedHashMap<>(partition(selected.partition()));
    query.put("mode", selected.mode());
    query.put("limit", Integer.toString(limit));
    if (details) {
      query.put("details", "true");
    }
    if (selected.range() != null) {
      query.put("range", selected.range().toString());
    }
    if (selected.since() != null) {
      query.put("since", selected.since());
    }
    return http.json("GET", path(name) + "/changes", query, null);
  }

  /**
   * Follows the changes, until the process or the server ends. Without a position, starts at the
   * newest.
   *
   * @param details true for changes with the times of their commits
   */
  public void followChanges(
      String name, Changes selected, boolean details, Consumer<ObjectNode> changes) {
    ObjectNode request = message("itemChanges", name).put("mode", selected.mode());
    if (selected.partition() != null) {
      request.set("partitionKey", selected.partition());
    }
    if (selected.range() != null) {
      request.put("range", selected.range().toString());
    }
    new EndlessStream(http, request, notices)
        .after(selected.since())
        .follow(
            commit -> {
              for (JsonNode change : commit.path("changes")) {
                ObjectNode each = (ObjectNode) change;
                changes.accept(
                    details ? each.put("millis", commit.path("millis").longValue()) : each);
              }
            });
  }

  private static ObjectNode message(String op, String name) {
    return CliJson.object().put("op", op).put("collection", name);
  }

  /** Returns the {@code leases} of a group that processes changes; none if it does not exist. */
  public ObjectNode group(String name, String group) {
    return http.json("GET", path(name) + "/groups/" + encoded(group), Map.of(), null);
  }

  /**
   * Deletes the items that a query finds, and reports the progress with the numbers of items that
   * were {@code deleted}, and left because they had {@code changed}; at least at the end.
   */
  public void deleteMany(String name, ObjectNode query, Consumer<ObjectNode> progress) {
    byte[] body = Utf8.json(query.toString());
    http.objects("POST", path(name) + "/delete", Map.of(), body, progress);
  }

  /**
   * Patches an item that meets a condition.
   *
   * @param patch the operations, and optionally the filter
   */
  public ObjectNode patch(
      String name,
      String id,
      @Nullable JsonNode partition,
      ObjectNode patch,
      Precondition precondition) {
    return http.json("PATCH", path(name, id), query(id, partition), patch, precondition);
  }

  /** Executes a transactional batch and returns the results. */
  public ObjectNode batch(String name, ObjectNode batch) {
    return http.json("POST", path(name) + "/batch", Map.of(), batch);
  }

  /**
   * Deletes the items of a partition key, and reports the progress with the number of items that
   * were {@code deleted}; at least at the end.
   */
  public void deletePartition(String name, JsonNode partition, Consumer<ObjectNode> progress) {
    http.objects("DELETE", path(name) + "/partition", partition(partition), null, progress);
  }

  /** Runs a query and passes on all rows as JSON, which are read at one version. */
  public void query(String name, ObjectNode query, Consumer<String> rows) {
    byte[] body = Utf8.json(query.toString());
    http.lines("POST", path(name) + "/query", Map.of(), body, rows);
  }

  /**
   * Passes on the rows of a query, then {@code listed}, then their changes, until the process or
   * the server ends. After a lost connection, all of this begins again.
   */
  public void watchQuery(String name, ObjectNode query, Consumer<ObjectNode> updates) {
    ObjectNode watch = message("query", name).put("watch", true);
    new EndlessStream(http, watch.setAll(query), notices).follow(updates);
  }

  /** Returns the plan of a query. */
  public ObjectNode explain(String name, ObjectNode query) {
    return http.json(
        "POST", path(name) + "/query", Map.of(), query.deepCopy().put("explain", "only"));
  }

  /** Runs a query, and returns its first page with the plan and the operators that ran. */
  public ObjectNode analyze(String name, ObjectNode query) {
    return http.json(
        "POST", path(name) + "/query", Map.of(), query.deepCopy().put("explain", true));
  }
}
