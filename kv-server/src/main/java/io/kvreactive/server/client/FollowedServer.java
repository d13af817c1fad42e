package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.Versionstamp;
import io.kvreactive.json.KvJson;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.ForwardingKvEngine;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredChange;
import io.kvreactive.spi.StoredEntry;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The engine of a server's store with a change feed, which KV Connect lacks: the feed of the REST
 * interface says which keys have changed, and KV Connect returns their entries. The changes of a
 * commit therefore have the newest state of each key. Applied in their order, they give the state
 * of the store after the last commit.
 */
public final class FollowedServer extends ForwardingKvEngine {
  private static final int WAIT_MILLIS = 1000;
  private static final int COMMITS = 1000;

  private final RestClient http;

  /** The newest version of the server at one time, which is not held. */
  private record Newest(Versionstamp versionstamp) implements Snapshot {
    @Override
    public void close() {
      // nothing is held
    }
  }

  /** A part of the feed, and the version up to which it has all commits. */
  private record Part(List<CommittedChanges> commits, Versionstamp end) {}

  /**
   * Creates an engine.
   *
   * @param engine the engine of the store by KV Connect
   * @param http the client of the database
   */
  public FollowedServer(KvEngine engine, RestClient http) {
    super(engine);
    this.http = http;
  }

  /** Emits the newest version, without holding it: reads at it see the newest state. */
  @Override
  public Mono<Snapshot> snapshot() {
    KvRange all = KvRange.all();
    return engine()
        .read(List.of(new ReadRange(all.startBytes(), all.startBytes(), 1, false, true)), null)
        .map(read -> new Newest(read.snapshot()));
  }

  @Override
  public Mono<ReadResult> read(List<ReadRange> ranges, @Nullable Snapshot snapshot, long maxBytes) {
    return engine().read(ranges, null, maxBytes);
  }

  /** Emits the changes of all keys. Other ranges are not supported. */
  @Override
  public boolean followsChanges() {
    return true;
  }

  @Override
  public Flux<CommittedChanges> changes(ChangesRequest request) {
    Versionstamp since = request.since();
    if (since == null) {
      return Flux.error(
          new KvException(KvErrorCode.UNSUPPORTED, "changes without a version to start after"));
    }
    return next(since).expand(part -> next(part.end)).concatMapIterable(Part::commits, 1);
  }

  private Mono<Part> next(Versionstamp since) {
    Map<String, String> query =
        Map.of(
            "since",
            since.toString(),
            "waitMs",
            "" + WAIT_MILLIS,
            "limit",
            Integer.toString(COMMITS));
    // a cancelled poll ends by itself: the client reports an interrupt as an error
    return Mono.fromFuture(
            () ->
                CompletableFuture.supplyAsync(
                    () -> http.json("GET", "/api/v1/changes", query, null)),
            true)
        .flatMap(answer -> part(answer, since));
  }

  private Mono<Part> part(ObjectNode answer, Versionstamp since) {
    Versionstamp end = Versionstamp.parse(answer.path("versionstamp").asText());
    Map<ByteBuffer, ReadRange> written = new LinkedHashMap<>();
    for (JsonNode commit : answer.path("commits")) {
      for (JsonNode change : commit.path("changes")) {
        if (isWrite(change)) {
          byte[] key = key(change, "key");
          written.put(ByteBuffer.wrap(key), ReadRange.point(key));
        }
      }
    }
    return entries(List.copyOf(written.values()), new HashMap<>())
        .map(
            found -> {
              List<CommittedChanges> commits = new ArrayList<>();
              for (JsonNode commit : answer.path("commits")) {
                commits.add(commit(commit, found));
              }
              Versionstamp last =
                  commits.isEmpty() ? since : commits.get(commits.size() - 1).versionstamp();
              if (end.compareTo(last) > 0) {
                commits.add(new CommittedChanges(end, engine().now(), List.of())); // a bookmark
              }
              return new Part(commits, end);
            });
  }

  /** Reads the entries of keys. A request may answer for the first of its keys only. */
  private Mono<Map<ByteBuffer, StoredEntry>> entries(
      List<ReadRange> points, Map<ByteBuffer, StoredEntry> found) {
    if (points.isEmpty()) {
      return Mono.just(found);
    }
    int most = Math.min(points.size(), engine().limits().maxKeysPerGetMany());
    return engine()
        .read(points.subList(0, most), null)
        .flatMap(
            read -> {
              read.pages()
                  .forEach(
                      page ->
                          page.entries()
                              .forEach(entry -> found.put(ByteBuffer.wrap(entry.key()), entry)));
              return entries(points.subList(read.pages().size(), points.size()), found);
            });
  }

  private static boolean isWrite(JsonNode change) {
    String type = change.path("type").asText();
    return type.equals("set") || type.equals("touch");
  }

  private static CommittedChanges commit(JsonNode commit, Map<ByteBuffer, StoredEntry> found) {
    List<StoredChange> changes = new ArrayList<>();
    for (JsonNode change : commit.path("changes")) {
      changes.add(change(change, found));
    }
    return new CommittedChanges(
        Versionstamp.parse(commit.path("versionstamp").asText()),
        commit.path("millis").asLong(),
        changes);
  }

  private static StoredChange change(JsonNode change, Map<ByteBuffer, StoredEntry> found) {
    String type = change.path("type").asText();
    return switch (type) {
      case "deleteRange" -> {
        KvRange range =
            change.has("prefix")
                ? KvRange.prefix(KvJson.keyOf(change.path("prefix")))
                : KvRange.between(
                    KvJson.keyOf(change.path("start")), KvJson.keyOf(change.path("end")));
        yield StoredChange.deleteRange(range.startBytes(), range.endBytes());
      }
      case "expire" -> StoredChange.expire(key(change, "key"));
      case "delete" -> StoredChange.delete(key(change, "key"));
      case "set", "touch" -> {
        byte[] key = key(change, "key");
        StoredEntry entry = found.get(ByteBuffer.wrap(key));
        yield entry == null || entry.value() == null
            ? StoredChange.delete(key) // by a later commit
            : StoredChange.set(key, entry.value(), entry.expireAt());
      }
      default ->
          throw new KvException(
              KvErrorCode.UNSUPPORTED, "a change of type " + type + " (expected: a newer kv)");
    };
  }

  private static byte[] key(JsonNode change, String name) {
    KvKey key = KvJson.keyOf(change.path(name));
    return key.bytes();
  }
}
