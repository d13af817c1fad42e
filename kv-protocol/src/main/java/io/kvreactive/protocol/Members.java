package io.kvreactive.protocol;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The members of a JSON object while it is read or written. The description of a message names each
 * member once, with its form and its getter, and returns the creation of the object of all of them:
 *
 * <pre>{@code
 * JsonForm.object(
 *     m -> {
 *       Integer range = m.get("range", INT, Lease::range);
 *       String owner = m.nullable("owner", TEXT, Lease::owner);
 *       return () -> new Lease(range, owner);
 *     })
 * }</pre>
 *
 * <p>When a message is read, a method returns the value of the member. When it is written, the
 * method adds the member to the JSON and returns the result of the getter. Members are written in
 * the order of the calls.
 *
 * @param <S> the type of the object
 */
public final class Members<S> {
  /** The treatment of a member that is missing, or has its default. */
  private enum Absence {
    REJECTED,
    OMITTED,
    WRITTEN
  }

  private final @Nullable JsonInput input; // of an object that is read
  private final @Nullable S source; // an object that is written
  private final @Nullable ObjectNode target;
  private final List<String> names; // the members of a description that is called to learn them

  Members(
      @Nullable JsonInput input,
      @Nullable S source,
      @Nullable ObjectNode target,
      List<String> names) {
    this.input = input;
    this.source = source;
    this.target = target;
    this.names = names;
  }

  private <V> @Nullable V value(
      String name,
      JsonForm<V> form,
      Function<? super S, ? extends @Nullable V> getter,
      Absence absence,
      @Nullable V otherwise) {
    if (input != null) {
      JsonInput member = input.member(name);
      JsonNode json = member.json();
      boolean isNull =
          json.isNull() && (!input.isStrict() || otherwise == null && !form.readsNull());
      if (absence != Absence.REJECTED && (json.isMissingNode() || isNull)) {
        return otherwise;
      }
      if (input.isStrict()
          && (json.isMissingNode() || json.isNull() && form.equals(JsonForm.VERSIONSTAMP))) {
        throw input.missing(name);
      }
      return form.read(member);
    }
    if (source == null || target == null) {
      names.add(name);
      return otherwise;
    }
    V value = getter.apply(source);
    if (absence == Absence.WRITTEN && value == null) {
      target.putNull(name);
    } else if (absence != Absence.OMITTED || !Objects.equals(value, otherwise)) {
      target.set(name, form.write(value));
    }
    return value;
  }

  @SuppressWarnings("NullAway") // null without an object, or if the getter returns it
  private static <V> V present(@Nullable V value) {
    return value;
  }

  /** Returns a member that must be present. */
  public <V> V get(String name, JsonForm<V> form, Function<? super S, ? extends V> getter) {
    return present(value(name, form, getter, Absence.REJECTED, null));
  }

  /** Returns a member that is left out if its value is {@code otherwise}. */
  public <V> V get(
      String name, JsonForm<V> form, Function<? super S, ? extends V> getter, V otherwise) {
    return present(value(name, form, getter, Absence.OMITTED, otherwise));
  }

  /** Returns a member that is left out if its value is null. */
  public <V> @Nullable V optional(
      String name, JsonForm<V> form, Function<? super S, ? extends @Nullable V> getter) {
    return value(name, form, getter, Absence.OMITTED, null);
  }

  /** Returns a member that is written as null if its value is null. */
  public <V> @Nullable V nullable(
      String name, JsonForm<V> form, Function<? super S, ? extends @Nullable V> getter) {
    return value(name, form, getter, Absence.WRITTEN, null);
  }

  /** Returns an array that is always written; a missing one is empty. */
  public <V> List<V> list(
      String name, JsonForm<V> form, Function<? super S, ? extends List<V>> getter) {
    return present(value(name, JsonForm.list(form), getter, Absence.WRITTEN, List.of()));
  }

  /** Writes a member that follows from the others, unless its value is null. */
  public <V> void also(
      String name, JsonForm<V> form, Function<? super S, ? extends @Nullable V> getter) {
    if (input == null) {
      var unused = optional(name, form, getter);
    }
  }

  /** Returns the exception for a member with a value of the right type that is invalid. */
  public RuntimeException wrong(String name, String found, String expected) {
    String text = ": " + found + " (expected: " + expected + ")";
    return input == null
        ? new IllegalStateException(name + text)
        : input.fault(input.placeOf(name) + text);
  }

  // ---- of a message that is only read

  /** Returns a member that must be present. */
  public <V> V read(String name, JsonForm<V> form) {
    return get(name, form, Members::unread);
  }

  /** Returns a member, or {@code otherwise} if it is missing. */
  public <V> V read(String name, JsonForm<V> form, V otherwise) {
    return get(name, form, Members::unread, otherwise);
  }

  /** Returns a member, or null if it is missing or null. */
  public <V> @Nullable V readIfAny(String name, JsonForm<V> form) {
    return optional(name, form, Members::unread);
  }

  /** Returns an array, which is empty if it is missing. */
  public <V> List<V> readList(String name, JsonForm<V> form) {
    return list(name, form, Members::unread);
  }

  /** Returns an object of those of some members that are present, for a form of its own. */
  public ObjectNode readPart(String... part) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    for (String name : part) {
      JsonNode json = readIfAny(name, JsonForm.JSON.readingNull());
      if (json != null) {
        object.set(name, json);
      }
    }
    return object;
  }

  @SuppressWarnings("TypeParameterUnusedInFormals") // never returns
  private static <V> V unread(Object source) {
    throw new IllegalStateException("a message that is only read");
  }
}
