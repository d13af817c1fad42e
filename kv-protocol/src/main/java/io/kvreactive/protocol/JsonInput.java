package io.kvreactive.protocol;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A JSON value to be read. A strict input, a request, rejects unknown members and other types, with
 * the place of the value in the message. A lenient input, an answer, may come from a newer server:
 * unknown members are ignored.
 *
 * @param place the place of the value, such as {@code body.limit}; empty for a root without a name
 * @param path the place within the root, which is empty for the root itself
 * @param faults creates the exception for a message; null if the input is lenient
 */
public record JsonInput(
    JsonNode json,
    String place,
    String path,
    @Nullable Function<String, ? extends RuntimeException> faults) {
  private static final int EXCERPT = 200;

  /** Returns a lenient input. */
  public static JsonInput lenient(JsonNode json) {
    return new JsonInput(json, "", "", null);
  }

  /** Returns a strict input, whose place is the name of the root. */
  public static JsonInput strict(
      String place, JsonNode json, Function<String, ? extends RuntimeException> faults) {
    return new JsonInput(json, place, "", faults);
  }

  boolean isStrict() {
    return faults != null;
  }

  JsonInput member(String name) {
    return faults == null
        ? lenient(json.path(name))
        : new JsonInput(
            json.path(name), placeOf(name), path.isEmpty() ? name : path + "." + name, faults);
  }

  /** Returns the place of a member of this object. */
  String placeOf(String name) {
    return place.isEmpty() ? name : place + "." + name;
  }

  /** Returns the beginning of messages about this value. */
  private String at() {
    return place.isEmpty() ? "" : place + ": ";
  }

  JsonInput element(int index) {
    String at = "[" + index + "]";
    return new JsonInput(json.path(index), place + at, path + at, faults);
  }

  /** Returns the place of this object, which names the root only if it is the root itself. */
  public String objectPlace() {
    return path.isEmpty() ? place : path;
  }

  /** Returns this object, which must have known members only if this input is strict. */
  JsonInput object(List<String> known) {
    JsonInput object = new JsonInput(json, objectPlace(), path, faults);
    if (faults != null) {
      String names = String.join(", ", known);
      if (!json.isObject()) {
        throw object.wrong("an object with " + names);
      }
      for (String name : (Iterable<String>) json::fieldNames) {
        if (!known.contains(name)) {
          throw fault(
              "%sproperty \"%s\" (expected: one of %s)"
                  .formatted(object.at(), excerpt(name), names));
        }
      }
    }
    return object;
  }

  /** Returns a reader of the members of this object, which must have known members only. */
  public Members<?> members(String... known) {
    return new Members<>(object(List.of(known)), null, null, List.of());
  }

  /** Returns the value, which must meet a condition if this input is strict. */
  public JsonNode require(Predicate<JsonNode> condition, String expected) {
    if (faults != null && !condition.test(json)) {
      throw unexpected(expected);
    }
    return json;
  }

  /** Returns the exception for this value, of which it quotes a scalar. */
  public RuntimeException unexpected(String expected) {
    String found =
        json.isMissingNode()
            ? "nothing"
            : json.isContainerNode()
                ? json.getNodeType().toString().toLowerCase(Locale.ROOT)
                : excerpt(json.toString());
    return fault("%s%s (expected: %s)".formatted(at(), found, expected));
  }

  /** Returns the result of a parser, whose errors get the place. */
  <T> T parse(Supplier<T> parser) {
    try {
      return parser.get();
    } catch (KvException e) {
      throw faults == null ? e : new KvException(e.code(), place + ": " + e.detail(), e);
    }
  }

  /** Returns the exception for this value, which it quotes. */
  RuntimeException wrong(String expected) {
    return fault("%s%s (expected: %s)".formatted(at(), excerpt(json.toString()), expected));
  }

  /** Returns the exception for a missing member of this object. */
  RuntimeException missing(String name) {
    return fault(at() + "property " + name + " is missing");
  }

  /** Returns the exception for a message. */
  RuntimeException fault(String message) {
    return faults == null
        ? new KvException(KvErrorCode.UNREADABLE_VALUE, message)
        : faults.apply(message);
  }

  /** Returns at most 200 characters of a text, for messages. */
  public static String excerpt(String text) {
    return text.length() > EXCERPT ? text.substring(0, EXCERPT) + "…" : text;
  }
}
