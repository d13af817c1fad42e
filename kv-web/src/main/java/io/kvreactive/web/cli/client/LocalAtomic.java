package io.kvreactive.web.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.EnqueueOptions;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.json.KvJson;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.Mutation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A commit from the JSON that {@code POST /api/v1/atomic} takes, for a store of this process. */
final class LocalAtomic {
  private static final Set<String> PARTS = Set.of("checks", "mutations", "enqueues");
  private static final String EXPIRE_AT = "expireAt";

  private final long now;

  private LocalAtomic(long now) {
    this.now = now;
  }

  /**
   * Reads a commit.
   *
   * @param now the store's time
   */
  static Commit read(ObjectNode operation, long now) {
    operation
        .fieldNames()
        .forEachRemaining(
            name -> {
              if (!PARTS.contains(name)) {
                throw wrong("\"" + name + "\" (expected: checks, mutations, enqueues)");
              }
            });
    LocalAtomic reader = new LocalAtomic(now);
    List<Check> checks = new ArrayList<>();
    operation.path("checks").forEach(json -> checks.add(check(json)));
    List<Mutation> mutations = new ArrayList<>();
    operation.path("mutations").forEach(json -> mutations.add(reader.mutation(json)));
    List<Enqueue> enqueues = new ArrayList<>();
    operation.path("enqueues").forEach(json -> enqueues.add(reader.enqueue(json)));
    return new Commit(checks, List.of(), mutations, enqueues, null);
  }

  private static Check check(JsonNode json) {
    JsonNode stamp = json.path("versionstamp");
    return new Check(key(json), stamp.isTextual() ? Versionstamp.parse(stamp.asText()) : null);
  }

  private Mutation mutation(JsonNode json) {
    String type = json.path("type").asText();
    return switch (type) {
      case "set" -> new Mutation.Set(key(json), value(json, "value"), expireAt(json));
      case "setSuffixed" ->
          new Mutation.SetSuffixed(key(json), value(json, "value"), expireAt(json));
      case "delete" -> new Mutation.Delete(key(json));
      case "deleteRange" -> deleteRange(json);
      case "sum" ->
          new Mutation.Sum(
              key(json),
              value(json, "value"),
              bound(json, "min"),
              bound(json, "max"),
              json.path("clamp").asBoolean());
      case "min" -> new Mutation.Min(key(json), value(json, "value"));
      case "max" -> new Mutation.Max(key(json), value(json, "value"));
      case "touch" -> new Mutation.Touch(key(json), expireAt(json));
      default ->
          throw wrong(
              "type \""
                  + type
                  + "\" (expected: set, setSuffixed, delete, deleteRange, sum, min, max or touch)");
    };
  }

  private static Mutation deleteRange(JsonNode json) {
    Range range = new Range(part(json, "prefix"), part(json, "start"), part(json, "end"));
    if (!range.isExplicit()) {
      throw wrong("deleteRange (expected: with prefix, or start and end)");
    }
    KvRange keys = range.toKvRange();
    return new Mutation.DeleteRange(keys.startBytes(), keys.endBytes());
  }

  private static @Nullable KvKey part(JsonNode json, String name) {
    return json.has(name) ? KvJson.keyOf(json.path(name)) : null;
  }

  private Enqueue enqueue(JsonNode json) {
    List<Long> backoff = new ArrayList<>();
    json.path("backoff").forEach(pause -> backoff.add(pause.asLong()));
    List<byte[]> undelivered = new ArrayList<>();
    json.path("keysIfUndelivered").forEach(key -> undelivered.add(KvJson.keyOf(key).bytes()));
    long delay = json.path("delay").asLong();
    return new Enqueue(
        json.path("queue").asText(""),
        value(json, "value"),
        delay == 0 ? 0 : now + delay,
        json.has("backoff")
            ? backoff
            : EnqueueOptions.DEFAULT.backoff().stream().map(Duration::toMillis).toList(),
        undelivered);
  }

  private static byte[] key(JsonNode json) {
    return KvJson.keyOf(json.path("key")).bytes();
  }

  private static KvValue value(JsonNode json, String name) {
    if (!json.has(name)) {
      throw wrong(json.path("type").asText("enqueue") + " without a " + name);
    }
    return KvJson.valueOf(json.path(name));
  }

  private static byte @Nullable [] bound(JsonNode json, String name) {
    return json.hasNonNull(name) ? KvJson.valueOf(json.path(name)).bytes() : null;
  }

  private long expireAt(JsonNode json) {
    if (json.has("expireIn")) {
      return Math.addExact(now, json.path("expireIn").asLong());
    }
    return json.path(EXPIRE_AT).asLong();
  }

  private static KvException wrong(String what) {
    return new KvException(KvErrorCode.INVALID_ARGUMENT, "atomic operation: " + what);
  }
}
