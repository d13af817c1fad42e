package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvKey;
import io.kvreactive.json.KvJson;
import io.kvreactive.json.Utf8;
import io.kvreactive.server.ExitCode;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The store that commands operate on: that of a server, or that of a directory, which a server in
 * this process has opened. Uses REST, and WebSocket for watches. Input and output are JSON in the
 * forms of the REST interface.
 *
 * <p>Methods block until they are done. Consumers are called on the calling thread, and nothing
 * more is requested until they return. Failures are {@link CliException}s.
 */
public final class Target implements AutoCloseable {
  /**
   * The options of a list.
   *
   * @param limit the maximum number of entries
   * @param reverse true to begin at the end
   * @param keysOnly true to omit values
   */
  public record Listing(long limit, boolean reverse, boolean keysOnly) {}

  /**
   * An operation on the whole store that reports its progress. The last line of the progress is the
   * result.
   */
  public enum Job {
    BACKUP,
    COMPACT,
    VERIFY
  }

  private static final String ATOMIC = "/api/v1/atomic";

  private final RestClient http;
  private final Consumer<String> notices;
  private final @Nullable LocalServer local;

  private Target(RestClient http, Consumer<String> notices, @Nullable LocalServer local) {
    this.http = http;
    this.notices = notices;
    this.local = local;
  }

  /**
   * Returns the store of a server.
   *
   * @param notices the consumer of messages about lost and restored connections
   */
  public static Target of(RestClient http, Consumer<String> notices) {
    return new Target(http, notices, null);
  }

  /**
   * Opens the store of a directory.
   *
   * @param create true to create a store that does not exist
   * @param lazy true if collections may use the indexing mode lazy
   * @param oldValues true if the store keeps and reads previous values
   * @throws CliException USAGE if the store does not exist or is locked
   */
  public static Target open(Path directory, boolean create, boolean lazy, boolean oldValues) {
    LocalServer server = LocalServer.open(directory, create, lazy, oldValues);
    return new Target(server.client(), notice -> {}, server);
  }

  /** Returns an entry. If the key does not exist, the {@code versionstamp} is null. */
  public ObjectNode get(KvKey key) {
    try {
      return http.json("GET", "/api/v1/entry", Map.of("key", KeyParser.print(key)), null);
    } catch (CliException e) {
      if (e.exitCode() != ExitCode.NO) {
        throw e;
      }
      ObjectNode absent = CliJson.object();
      absent.set("key", KvJson.toJson(key));
      return absent.putNull("value").putNull("versionstamp");
    }
  }

  /** Commits checks, mutations and messages. Returns the versionstamp or the failed checks. */
  public ObjectNode atomic(ObjectNode operation) {
    return http.json("POST", ATOMIC, Map.of(), operation);
  }

  /** Lists entries in key order. */
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
    http.objects("GET", "/api/v1/entries", query, null, entries);
  }

  /** Watches the newest state of keys, until the process or the server ends. */
  public void watch(List<KvKey> keys, Consumer<ObjectNode> states) {
    ObjectNode watch = CliJson.object().put("op", "watch");
    keys.forEach(key -> watch.withArray("keys").add(KvJson.toJson(key)));
    JsonNode[] lastEntries = {MissingNode.getInstance()}; // not again after a lost connection
    new EndlessStream(http, watch, notices)
        .follow(
            state -> {
              if (!state.path("entries").equals(lastEntries[0])) {
                states.accept(state.without("type"));
                lastEntries[0] = state.path("entries");
              }
            });
  }

  /**
   * Follows the commits that change a range, until the process or the server ends.
   *
   * @param since the versionstamp after which to start; null or {@code now} for the newest
   */
  public void changes(KeySelection range, @Nullable String since, Consumer<ObjectNode> commits) {
    new EndlessStream(http, range.toJson().put("op", "changes"), notices)
        .after(since)
        .follow(commit -> commits.accept(commit.without("type")));
  }

  /**
   * Consumes messages of a queue. A message is acknowledged when the consumer returns, and returned
   * to the queue if the consumer throws.
   *
   * @param count the number of messages
   */
  public void listen(String queue, long count, Consumer<ObjectNode> messages) {
    new RemoteQueue(http, queue, messages, notices).run(count);
  }

  /** Returns the number of keys. */
  public long count(KeySelection range) {
    return http.json("GET", "/api/v1/count", range.toQuery(), null).path("count").asLong();
  }

  /** Returns the names of the databases that the caller may use, in order. */
  public List<String> databases() {
    List<String> names = new ArrayList<>();
    http.json("GET", "/api/v1/databases", Map.of(), null)
        .path("databases")
        .forEach(each -> names.add(each.path("name").asText()));
    return names;
  }

  /** Returns the version, the id and the limits of the store, and the rights of the caller. */
  public ObjectNode info() {
    return http.json("GET", "/api/v1/info", Map.of(), null);
  }

  /** Returns the statistics of the store. */
  public ObjectNode stats() {
    return http.json("GET", "/api/v1/stats", Map.of(), null);
  }

  /** Exports entries as lines in the format of docs/json.md. */
  public void exportLines(KeySelection range, Consumer<String> lines) {
    http.lines("GET", "/api/v1/export", range.toQuery(), null, lines);
  }

  /**
   * Imports lines in the format of docs/json.md and reports progress.
   *
   * @param firstLine the number of the first line that is imported, from 1
   */
  public void importLines(InputStream lines, long firstLine, Consumer<ObjectNode> progress) {
    LineBatches batches =
        new LineBatches(lines, RemoteLines.PART_BYTES, LineBatches.MAX_ENTRY_BYTES)
            .startingAt(firstLine);
    new RemoteLines(http, "/api/v1/import", "entries").send(batches, progress);
  }

  /**
   * Runs a job.
   *
   * @param directory the directory of a backup; null for other jobs
   */
  public void run(Job job, @Nullable Path directory, Consumer<ObjectNode> progress) {
    if (job == Job.BACKUP && local != null) {
      local.backup(Objects.requireNonNull(directory, "the directory of a backup"), progress);
      return;
    }
    byte[] body =
        directory == null
            ? new byte[0]
            : Utf8.json(CliJson.object().put("path", directory.toString()).toString());
    String path = "/api/v1/" + job.name().toLowerCase(Locale.ROOT);
    http.objects("POST", path, Map.of(), body, progress);
  }

  /** Returns the collections of the store. */
  public TargetCollections documents() {
    return new TargetCollections(http, notices);
  }

  /** Closes the store of a directory. Does nothing for the store of a server. Idempotent. */
  @Override
  public void close() {
    if (local != null) {
      local.close();
    }
  }
}
