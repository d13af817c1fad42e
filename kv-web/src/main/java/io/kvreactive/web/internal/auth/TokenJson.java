package io.kvreactive.web.internal.auth;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvKey;
import io.kvreactive.json.KvJson;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** JSON of tokens: in their file, and in requests and responses. */
public final class TokenJson {
  private static final Set<String> SCOPE = Set.of("access", "prefixes", "databases", "expiresAt");

  /** Minimum expiry of a token. */
  private static final Instant MIN_TIME = Instant.EPOCH;

  /** Maximum expiry of a token: the last millisecond of a year with four digits. */
  private static final Instant MAX_TIME = Instant.parse("9999-12-31T23:59:59.999Z");

  private TokenJson() {}

  /** Returns a token as shown to callers with ADMIN access, without its hash. */
  public static ObjectNode shown(AccessToken entry) {
    TokenScope scope = entry.scope();
    ObjectNode json = rights(entry.name(), scope.access(), scope.prefixes(), scope.databases());
    json.put("createdAt", entry.createdAt().toString());
    if (scope.expiresAt() != null) {
      json.put("expiresAt", scope.expiresAt().toString());
    }
    if (entry.previous() != null) {
      json.put("previousUntil", entry.previous().until().toString());
    }
    return json;
  }

  /** Returns the name and the rights of a token. */
  public static ObjectNode rights(
      String name, Set<AccessRight> access, List<KvKey> prefixes, Set<String> databases) {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("name", name);
    ArrayNode rights = json.putArray("access");
    access.stream().sorted().forEach(one -> rights.add(one.name()));
    ArrayNode keys = json.putArray("prefixes");
    prefixes.forEach(key -> keys.add(KvJson.toJson(key)));
    new TreeSet<>(databases).forEach(json.putArray("databases")::add);
    return json;
  }

  static ObjectNode kept(AccessToken entry) {
    ObjectNode json = shown(entry);
    json.remove("previousUntil");
    json.put("hash", entry.hash());
    if (entry.previous() != null) {
      json.putObject("previous")
          .put("hash", entry.previous().hash())
          .put("until", entry.previous().until().toString());
    }
    return json;
  }

  /**
   * Parses a token of the file. Times outside the bounds, which earlier versions accepted, are
   * clamped.
   */
  static AccessToken entry(JsonNode json) {
    JsonNode previous = json.path("previous");
    TokenScope scope = scope(json);
    return new AccessToken(
        text(json, "name"),
        text(json, "hash"),
        scope.expiresAt() == null ? scope : scope.endingAt(bounded(scope.expiresAt())),
        bounded(instant(json, "createdAt")),
        previous.isMissingNode()
            ? null
            : new AccessToken.Previous(
                text(previous, "hash"), bounded(instant(previous, "until"))));
  }

  /**
   * Parses the scope in a request to create a token. Rejects properties other than the name and
   * those of the scope.
   *
   * @throws io.kvreactive.KvException INVALID_ARGUMENT
   */
  public static TokenScope requestedScope(JsonNode json) {
    for (Iterator<String> names = json.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!name.equals("name") && !SCOPE.contains(name)) {
        throw TokenScope.invalid(
            "property: \"" + name + "\" (expected: name, " + new TreeSet<>(SCOPE) + ")");
      }
    }
    TokenScope scope = scope(json);
    Instant end = scope.expiresAt();
    if (end != null && !end.equals(bounded(end))) {
      throw TokenScope.invalid(
          "expiresAt: \"%s\" (expected: %s to %s)".formatted(end, MIN_TIME, MAX_TIME));
    }
    return scope;
  }

  /** Returns the time, clamped to the bounds. */
  private static Instant bounded(Instant time) {
    return time.isBefore(MIN_TIME) ? MIN_TIME : time.isAfter(MAX_TIME) ? MAX_TIME : time;
  }

  private static TokenScope scope(JsonNode json) {
    Set<AccessRight> access = EnumSet.noneOf(AccessRight.class);
    for (JsonNode one : array(json, "access")) {
      access.add(access(one.asText()));
    }
    List<KvKey> prefixes = new ArrayList<>();
    for (JsonNode one : array(json, "prefixes")) {
      prefixes.add(KvJson.keyOf(one));
    }
    Set<String> databases = new TreeSet<>();
    for (JsonNode one : array(json, "databases")) {
      databases.add(one.asText());
    }
    boolean ends = json.hasNonNull("expiresAt");
    return new TokenScope(access, prefixes, databases, ends ? instant(json, "expiresAt") : null);
  }

  private static AccessRight access(String text) {
    for (AccessRight access : AccessRight.values()) {
      if (access.name().equals(text.toUpperCase(Locale.ROOT))) {
        return access;
      }
    }
    throw TokenScope.invalid("access: \"" + text + "\" (expected: READ, WRITE, ADMIN or METRICS)");
  }

  private static JsonNode array(JsonNode json, String name) {
    JsonNode array = json.path(name);
    if (!array.isMissingNode() && !array.isArray()) {
      throw TokenScope.invalid(name + ": " + array.getNodeType() + " (expected: an array)");
    }
    return array;
  }

  private static Instant instant(JsonNode json, String name) {
    String text = text(json, name);
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      throw TokenScope.invalid(
          name + ": \"" + text + "\" (expected: a time such as 2027-01-31T12:00:00Z)");
    }
  }

  /**
   * Returns a required string.
   *
   * @throws io.kvreactive.KvException INVALID_ARGUMENT if it is missing
   */
  public static String text(JsonNode json, String name) {
    @Nullable JsonNode value = json.get(name);
    if (value == null || !value.isTextual()) {
      throw TokenScope.invalid(name + ": missing (expected: a string)");
    }
    return value.textValue();
  }
}
