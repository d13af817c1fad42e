package io.kvreactive.index.internal.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.index.CollectionDefinition;
import io.kvreactive.index.internal.value.Json;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The stored record of a collection: what it is, and what its indexes lack or have too much.
 *
 * @param id names it in keys; another one of the same name has another
 * @param definition what users want
 * @param policyVersion counts the definitions, from 1
 * @param numbers of the indexes that are named by numbers, by name
 * @param nextNumber that no index had
 * @param entriesNumber see {@link CollectionKeys}
 * @param expiriesNumber see {@link CollectionKeys}
 * @param bases definitions whose range entries items may still have, and may lack those of others;
 *     empty when all items have those of {@code definition}
 * @param builds what is being built
 * @param drops what is being removed
 */
public record CollectionRecord(
    String id,
    CollectionDefinition definition,
    int policyVersion,
    Map<String, Integer> numbers,
    int nextNumber,
    int entriesNumber,
    int expiriesNumber,
    List<CollectionDefinition> bases,
    List<Build> builds,
    List<Drop> drops) {

  /** The index {@link Build#index} and {@link Drop#index} call the range indexes together. */
  public static final String RANGE = "range";

  /**
   * What they call that items have not got to the indexes while these lagged: before others are
   * built, and before the indexes can be relied on, this must be done.
   */
  public static final String PENDING = "pending";

  /** What they call the order in which items expire. */
  public static final String TTL = "ttl";

  public CollectionRecord {
    numbers = Collections.unmodifiableMap(new LinkedHashMap<>(numbers));
    bases = List.copyOf(bases);
    builds = List.copyOf(builds);
    drops = List.copyOf(drops);
  }

  /**
   * An index that lacks entries of older items.
   *
   * @param index {@code range}, {@code composite#3}, {@code tuple#4}, {@code vector#5}, {@code ttl}
   *     or {@code pending}
   * @param number of a composite, tuple or vector index, otherwise 0
   * @param startedAt milliseconds since 1970
   * @param error why it will not be complete; null while it is being built
   */
  public record Build(String index, int number, long startedAt, @Nullable String error) {}

  /**
   * Entries that nobody wants any more.
   *
   * @param index as they were called
   * @param space which
   * @param number of the index, or of the space
   * @param startedAt milliseconds since 1970
   */
  public record Drop(String index, Space space, int number, long startedAt) {}

  /** What a {@link Drop} removes. */
  public enum Space {
    /** The entries of one composite, tuple or vector index. */
    NUMBER,
    /** All entries of an earlier {@link CollectionRecord#entriesNumber}. */
    ENTRIES,
    /** All expiries of an earlier {@link CollectionRecord#expiriesNumber}. */
    EXPIRIES
  }

  /** What a collection begins with. */
  public static CollectionRecord first(
      String id, CollectionDefinition definition, Map<String, Integer> numbers) {
    return new CollectionRecord(
        id, definition, 1, numbers, numbers.size() + 1, 1, 1, List.of(), List.of(), List.of());
  }

  /** The build of that index, if it is not complete. */
  public @Nullable Build build(String index) {
    for (Build build : builds) {
      if (build.index().equals(index)) {
        return build;
      }
    }
    return null;
  }

  /** Whether nothing is left to do. */
  public boolean settled() {
    return drops.isEmpty() && builds.stream().allMatch(build -> build.error() != null);
  }

  /** The number of an index; empty when it has none. */
  public OptionalInt number(String name) {
    Integer number = numbers.get(name);
    return number == null ? OptionalInt.empty() : OptionalInt.of(number);
  }

  /** Without a build, and what it was built from; as it was when it has another already. */
  public CollectionRecord built(List<Build> complete) {
    List<Build> left = new ArrayList<>(builds);
    left.removeAll(complete);
    boolean rangeLeft = left.stream().anyMatch(build -> build.index().equals(RANGE));
    return with(rangeLeft ? bases : List.of(), left, drops);
  }

  /** With other work to do. */
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
        newBases,
        newBuilds,
        newDrops);
  }

  /** As it is stored. */
  public KvValue encode() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("id", id).put("policyVersion", policyVersion);
    json.set("definition", Json.parse(definition.toJson()));
    ObjectNode named = json.putObject("numbers");
    numbers.forEach(named::put);
    json.put("nextNumber", nextNumber)
        .put("entries", entriesNumber)
        .put("expiries", expiriesNumber);
    ArrayNode baseArray = json.putArray("bases");
    bases.forEach(base -> baseArray.add(Json.parse(base.toJson())));
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
      dropArray
          .addObject()
          .put("index", drop.index())
          .put("space", drop.space().name())
          .put("number", drop.number())
          .put("startedAt", drop.startedAt());
    }
    return new KvValue(KvValue.Encoding.BYTES, Json.write(json));
  }

  /**
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
              drop.required("startedAt").longValue()));
    }
    return new CollectionRecord(
        json.required("id").textValue(),
        definition(json.required("definition")),
        json.required("policyVersion").intValue(),
        numbers,
        json.required("nextNumber").intValue(),
        json.required("entries").intValue(),
        json.required("expiries").intValue(),
        bases,
        builds,
        drops);
  }

  private static CollectionDefinition definition(JsonNode json) {
    return CollectionDefinition.parse(Json.writeText(json));
  }
}
