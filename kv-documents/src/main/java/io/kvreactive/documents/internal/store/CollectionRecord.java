package io.kvreactive.documents.internal.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.Definitions;
import io.kvreactive.documents.internal.value.Json;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The stored record of a collection: its definition, and the missing and surplus entries of its
 * indexes.
 *
 * @param id the id of the collection in keys, different from that of any other collection of the
 *     same name
 * @param definition the definition as set by users
 * @param policyVersion the number of definitions so far, from 1
 * @param numbers the numbers of the numbered indexes, by name
 * @param nextNumber the next index number, which no index has had
 * @param entriesNumber the number of the space of entries, see {@link CollectionKeys}
 * @param expiriesNumber the number of the space of expiries, see {@link CollectionKeys}
 * @param longIds the form of long ids in keys
 * @param bases the definitions whose range entries items may still have; items may lack the range
 *     entries of other definitions. Empty if all items have those of {@code definition}
 * @param builds the index builds
 * @param drops the index drops
 */
public record CollectionRecord(
    String id,
    CollectionDefinition definition,
    int policyVersion,
    Map<String, Integer> numbers,
    int nextNumber,
    int entriesNumber,
    int expiriesNumber,
    LongIds longIds,
    List<CollectionDefinition> bases,
    List<Build> builds,
    List<Drop> drops) {

  /** The name of all range indexes together in {@link Build#index} and {@link Drop#index}. */
  public static final String RANGE = "range";

  /**
   * The name of the application of pending indexing. This step must be done before other indexes
   * are built, and before the indexes are complete.
   */
  public static final String PENDING = "pending";

  /** The name of the order in which items expire. */
  public static final String TTL = "ttl";

  public CollectionRecord {
    numbers = Collections.unmodifiableMap(new LinkedHashMap<>(numbers));
    bases = List.copyOf(bases);
    builds = List.copyOf(builds);
    drops = List.copyOf(drops);
  }

  /**
   * A build of an index that lacks entries of older items.
   *
   * @param index {@code range}, {@code composite#3}, {@code tuple#4}, {@code vector#5}, {@code ttl}
   *     or {@code pending}
   * @param number the number of a composite, tuple or vector index, otherwise 0
   * @param startedAt the start time, in milliseconds since 1970
   * @param error the reason why the build failed; null while it is in progress
   */
  public record Build(String index, int number, long startedAt, @Nullable String error) {}

  /**
   * A drop of entries that are no longer used.
   *
   * @param index the name of the index
   * @param space the kind of space to remove
   * @param number the number of the index, or of the space
   * @param startedAt the start time, in milliseconds since 1970
   * @param definition the canonical text of a numbered index; null for other indexes, and if an
   *     earlier version of this library started the drop
   */
  public record Drop(
      String index, Space space, int number, long startedAt, @Nullable String definition) {}

  /** The kinds of spaces that a {@link Drop} removes. */
  public enum Space {
    /** The entries of one composite, tuple or vector index. */
    NUMBER,
    /** All entries of an earlier {@link CollectionRecord#entriesNumber}. */
    ENTRIES,
    /** All expiries of an earlier {@link CollectionRecord#expiriesNumber}. */
    EXPIRIES
  }

  /**
   * The forms of ids in keys that are too long to be stored as they are, see {@link
   * CollectionKeys#id}. A collection keeps the form with which it was created.
   */
  public enum LongIds {
    /** A hash of partition and id together. Collections of earlier builds have this form. */
    HASHED,
    /** A hash of each value of the partition key, and of the id: a partition is a range of keys. */
    GROUPED
  }

  /** Returns the first record of a collection. */
  public static CollectionRecord first(
      String id, CollectionDefinition definition, Map<String, Integer> numbers) {
    return new CollectionRecord(
        id,
        definition,
        1,
        numbers,
        numbers.size() + 1,
        1,
        1,
        LongIds.GROUPED,
        List.of(),
        List.of(),
        List.of());
  }

  /** Returns the build of the given index, or null if the index is complete. */
  public @Nullable Build build(String index) {
    for (Build build : builds) {
      if (build.index().equals(index)) {
        return build;
      }
    }
    return null;
  }

  /** Returns true if no background work is left. */
  public boolean settled() {
    return drops.isEmpty() && builds.stream().allMatch(build -> build.error() != null);
  }

  /** Returns the canonical text of the index with a number, or null if the definition has none. */
  public @Nullable String nameOf(int number) {
    for (Map.Entry<String, Integer> index : numbers.entrySet()) {
      if (index.getValue() == number) {
        return index.getKey();
      }
    }
    return null;
  }

  /** Returns the number of an index, or empty if the index has none. */
  public OptionalInt number(String name) {
    Integer number = numbers.get(name);
    return number == null ? OptionalInt.empty() : OptionalInt.of(number);
  }

  /**
   * Returns a record without the complete builds and without their bases. A build restarted since
   * is kept.
   */
  public CollectionRecord built(List<Build> complete) {
    List<Build> left = new ArrayList<>(builds);
    left.removeAll(complete);
    boolean rangeLeft = left.stream().anyMatch(build -> build.index().equals(RANGE));
    return with(rangeLeft ? bases : List.of(), left, drops);
  }

  /** Returns a record with other background work. */
  public CollectionRecord with(
      List<CollectionDefinition> newBases, List<Build> newBuilds, List<Drop> newDrops) {
    return new CollectionRecord(
        id,
        definition,
        policyVersion,
        numbers,
        nextNumber,
        entriesNumber,
        expiriesNumber,
        longIds,
        newBases,
        newBuilds,
        newDrops);
  }

  /** Encodes the record. */
  public KvValue encode() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("id", id).put("policyVersion", policyVersion);
    json.set("definition", Json.parse(Definitions.toJson(definition)));
    ObjectNode named = json.putObject("numbers");
    numbers.forEach(named::put);
    json.put("nextNumber", nextNumber)
        .put("entries", entriesNumber)
        .put("expiries", expiriesNumber)
        .put("longIds", longIds.name());
    ArrayNode baseArray = json.putArray("bases");
    bases.forEach(base -> baseArray.add(Json.parse(Definitions.toJson(base))));
    ArrayNode buildArray = json.putArray("builds");
    for (Build build : builds) {
      buildArray
          .addObject()
          .put("index", build.index())
          .put("number", build.number())
          .put("startedAt", build.startedAt())
          .put("error", build.error());
    }
    ArrayNode dropArray = json.putArray("drops");
    for (Drop drop : drops) {
      ObjectNode dropped =
          dropArray
              .addObject()
              .put("index", drop.index())
              .put("space", drop.space().name())
              .put("number", drop.number())
              .put("startedAt", drop.startedAt());
      if (drop.definition() != null) {
        dropped.put("definition", drop.definition());
      }
    }
    return new KvValue(KvValue.Encoding.BYTES, Json.write(json));
  }

  /**
   * Decodes a record.
   *
   * @throws KvException CORRUPT
   */
  public static CollectionRecord decode(byte[] bytes) {
    try {
      return read(Json.parse(bytes));
    } catch (RuntimeException e) {
      throw new KvException(
          KvErrorCode.CORRUPT, "the record of a collection cannot be read: " + e.getMessage(), e);
    }
  }

  private static CollectionRecord read(JsonNode json) {
    Map<String, Integer> numbers = new LinkedHashMap<>();
    json.required("numbers")
        .properties()
        .forEach(number -> numbers.put(number.getKey(), number.getValue().intValue()));
    List<CollectionDefinition> bases = new ArrayList<>();
    json.required("bases").forEach(base -> bases.add(definition(base)));
    List<Build> builds = new ArrayList<>();
    for (JsonNode build : json.required("builds")) {
      builds.add(
          new Build(
              build.required("index").textValue(),
              build.required("number").intValue(),
              build.required("startedAt").longValue(),
              build.required("error").textValue()));
    }
    List<Drop> drops = new ArrayList<>();
    for (JsonNode drop : json.required("drops")) {
      drops.add(
          new Drop(
              drop.required("index").textValue(),
              Space.valueOf(drop.required("space").textValue()),
              drop.required("number").intValue(),
              drop.required("startedAt").longValue(),
              drop.path("definition").textValue()));
    }
    return new CollectionRecord(
        json.required("id").textValue(),
        definition(json.required("definition")),
        json.required("policyVersion").intValue(),
        numbers,
        json.required("nextNumber").intValue(),
        json.required("entries").intValue(),
        json.required("expiries").intValue(),
        LongIds.valueOf(json.path("longIds").asText(LongIds.HASHED.name())),
        bases,
        builds,
        drops);
  }

  private static CollectionDefinition definition(JsonNode json) {
    return Definitions.parse(Json.writeText(json));
  }
}
