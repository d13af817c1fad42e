package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvKey;
import io.kvreactive.json.KvJson;
import io.kvreactive.json.Utf8;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The store of a server, over REST, and over WebSocket for watches. */
public final class RemoteTarget implements Target {
  private static final String ATOMIC = "/api/v1/atomic";
  private static final String NDJSON = "application/x-ndjson";
  private static final String JSON = "application/json";

  private final RestClient http;
  private final Consumer<String> notices;

  /**
   * Creates a target.
   *
   * @param notices the consumer of messages about lost and restored connections
   */
  public RemoteTarget(RestClient http, Consumer<String> notices) {
    this.http = http;
    this.notices = notices;
  }

  @Override
  public ObjectNode get(KvKey key) {
    try {
      return http.json("GET", "/api/v1/entry", Map.of("key", KeyParser.print(key)), null);
    } catch (NoSuchKeyException e) {
      ObjectNode absent = CliJson.object();
      absent.set("key", KvJson.toJson(key));
      return absent.putNull("value").putNull("versionstamp");
    }
  }

  @Override
  public ObjectNode atomic(ObjectNode operation) {
    return http.json("POST", ATOMIC, Map.of(), operation);
  }

  @Override
  public void list(KeySelection range, Listing listing, Consumer<ObjectNode> entries) {
    Map<String, String> query = new LinkedHashMap<>(range.toQuery());
    if (listing.limit() != Long.MAX_VALUE) {
      query.put("limit", Long.toString(listing.limit()));
    }
    if (listing.reverse()) {
      query.put("reverse", "true");
    }
    if (listing.keysOnly()) {
      query.put("keysOnly", "true");
    }
    lines("GET", "/api/v1/entries", query, NDJSON, line -> entries.accept(checked(line)));
  }

  /**
   * Parses a line of a response.
   *
   * @throws CliException if the line reports a failure
   */
  static ObjectNode checked(String line) {
    ObjectNode json = CliJson.sent(line);
    JsonNode error = json.path("error");
    if (error.isObject()) {
      throw CliException.of(error.path("code").asText(), error.path("detail").asText());
    }
    return json;
  }

  private void lines(
      String method,
      String path,
      Map<String, String> query,
      String accept,
      Consumer<String> consumer) {
    try (BufferedReader reader = http.stream(method, path, query, accept, null)) {
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

  @Override
  public void watch(List<KvKey> keys, Consumer<ObjectNode> states) {
    new RemoteWatch(http, keys, states, new ReconnectLoop(notices)).run();
  }

  @Override
  public void changes(KeySelection range, @Nullable String since, Consumer<ObjectNode> commits) {
    new RemoteFeed(
            http,
            "/api/v1/changes",
            "commit",
            range.toQuery(),
            since,
            commits,
            new ReconnectLoop(notices))
        .run();
  }

  @Override
  public void listen(String queue, long count, Consumer<ObjectNode> messages) {
    new RemoteQueue(http, queue, messages, notices).run(count);
  }

  @Override
  public long count(KeySelection range) {
    return http.json("GET", "/api/v1/count", range.toQuery(), null).path("count").asLong();
  }

  @Override
  public List<String> databases() {
    List<String> names = new ArrayList<>();
    http.json("GET", "/api/v1/databases", Map.of(), null)
        .path("databases")
        .forEach(each -> names.add(each.path("name").asText()));
    return names;
  }

  @Override
  public ObjectNode stats() {
    return http.json("GET", "/api/v1/stats", Map.of(), null);
  }

  @Override
  public void exportLines(KeySelection range, Consumer<String> lines) {
    lines("GET", "/api/v1/export", range.toQuery(), NDJSON, lines);
  }

  @Override
  public void importLines(InputStream lines, Consumer<ObjectNode> progress) {
    new RemoteLines(http, "/api/v1/import", "entries")
        .send(
            new LineBatches(lines, RemoteLines.PART_BYTES, LineBatches.MAX_ENTRY_BYTES), progress);
  }

  @Override
  public void run(Job job, @Nullable Path directory, Consumer<ObjectNode> progress) {
    byte[] body =
        directory == null
            ? new byte[0]
            : Utf8.json(CliJson.object().put("path", directory.toString()).toString());
    String path =
        switch (job) {
          case BACKUP -> "/api/v1/backup";
          case COMPACT -> "/api/v1/compact";
          case VERIFY -> "/api/v1/verify";
        };
    try (BufferedReader reader = http.stream("POST", path, Map.of(), JSON, body)) {
      String line = reader.readLine();
      while (line != null) {
        progress.accept(checked(line));
        line = reader.readLine();
      }
    } catch (IOException e) {
      throw http.lost(e);
    }
  }

  @Override
  public TargetCollections documents() {
    return new RemoteCollections(http, notices);
  }

  /** Does nothing, because nothing is held. */
  @Override
  public void close() {}
}
