package io.kvreactive.documents.internal.policy;

import static io.kvreactive.documents.internal.policy.PolicyRules.invalid;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The members of an object in a definition, with checked names and types. */
final class DefinitionMembers {
  private final JsonNode object;
  private final String where;

  private DefinitionMembers(JsonNode object, String where) {
    this.object = object;
    this.where = where;
  }

  /**
   * Checks the members of a node.
   *
   * @param where the role of the object, for messages
   * @param known the allowed names of members
   */
  static DefinitionMembers of(JsonNode node, String where, Set<String> known) {
    if (!node.isObject()) {
      throw invalid(where + " must be an object, but is " + kind(node) + ".");
    }
    for (Iterator<String> names = node.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!known.contains(name)) {
        throw invalid(
            where
                + " has the member '"
                + AbbreviatedValue.text(name)
                + "', which is not known (expected: "
                + known.stream().sorted().collect(Collectors.joining(", "))
                + ").");
      }
    }
    return new DefinitionMembers(node, where);
  }

  /** Returns the value of a member, or null if it is absent or null. */
  @Nullable JsonNode get(String name) {
    JsonNode value = object.get(name);
    return value == null || value.isNull() ? null : value;
  }

  boolean has(String name) {
    return get(name) != null;
  }

  String text(String name) {
    String value = textOrNull(name);
    if (value == null) {
      throw invalid(where + "." + name + " is missing.");
    }
    return value;
  }

  @Nullable String textOrNull(String name) {
    JsonNode value = get(name);
    if (value != null && !value.isTextual()) {
      throw wrong(name, "a string", value);
    }
    return value == null ? null : value.textValue();
  }

  boolean flag(String name, boolean otherwise) {
    JsonNode value = get(name);
    if (value != null && !value.isBoolean()) {
      throw wrong(name, "true or false", value);
    }
    return value == null ? otherwise : value.booleanValue();
  }

  @Nullable Integer integerOrNull(String name) {
    JsonNode value = get(name);
    if (value == null) {
      return null;
    }
    // 60.0 is equivalent to 60, and so is 6e1, the form of a double.
    double number = value.doubleValue();
    if (!value.isNumber() || number != Math.rint(number) || Math.abs(number) > 0x7fff_ffffL) {
      throw wrong(name, "an integer of 32 bits", value);
    }
    return (int) number;
  }

  int integer(String name) {
    Integer value = integerOrNull(name);
    if (value == null) {
      throw invalid(where + "." + name + " is missing.");
    }
    return value;
  }

  double number(String name) {
    JsonNode value = get(name);
    if (value == null || !value.isNumber()) {
      throw wrong(name, "a number", value);
    }
    return value.doubleValue();
  }

  /** Returns the elements of an array; none if the member is absent. */
  <T> List<T> list(String name, Function<JsonNode, T> element) {
    JsonNode value = get(name);
    if (value == null) {
      return List.of();
    }
    return elements(value, where + "." + name, element);
  }

  List<String> texts(String name) {
    return list(
        name,
        node -> {
          if (!node.isTextual()) {
            throw wrong(name, "an array of strings", node);
          }
          return node.textValue();
        });
  }

  static <T> List<T> elements(JsonNode value, String where, Function<JsonNode, T> element) {
    if (!value.isArray()) {
      throw invalid(where + " must be an array, but is " + kind(value) + ".");
    }
    List<T> elements = new ArrayList<>(value.size());
    for (JsonNode node : value) {
      elements.add(element.apply(node));
    }
    return elements;
  }

  private RuntimeException wrong(String name, String expected, @Nullable JsonNode value) {
    return invalid(
        where
            + "."
            + name
            + " must be "
            + expected
            + ", but is "
            + (value == null ? "missing" : kind(value))
            + ".");
  }

  /** Describes a scalar by its text, and any other value, which may be huge, by its type. */
  private static String kind(JsonNode node) {
    return switch (node.getNodeType()) {
      case ARRAY -> "an array";
      case OBJECT -> "an object";
      case STRING -> "'" + AbbreviatedValue.text(node.textValue()) + "'";
      default -> AbbreviatedValue.text(node.asText());
    };
  }
}
