package io.kvreactive.internal.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The tags of values that JSON cannot express: objects of one property, whose name is the tag. */
enum JsonTag {
  ARRAY_BUFFER("$arrayBuffer"),
  BIGINT("$bigint"),
  BOXED("$boxed"),
  BYTES("$bytes"),
  DATE("$date"),
  ERROR("$error"),
  HOLE("$hole"),
  KEY("$key"),
  MAP("$map"),
  NUMBER("$number"),
  OBJECT("$object"),
  REG_EXP("$regexp"),
  SET("$set"),
  SPARSE("$sparse"),
  STRING("$string"),
  TYPED_ARRAY("$typedArray"),
  U64("$u64"),
  UNDEFINED("$undefined"),
  V8("$v8");

  private static final Map<String, JsonTag> BY_TAG =
      Arrays.stream(values())
          .collect(Collectors.toUnmodifiableMap(JsonTag::tag, Function.identity()));

  private final String tag;

  JsonTag(String tag) {
    this.tag = tag;
  }

  String tag() {
    return tag;
  }

  /**
   * Returns true if only a tag may have that name. An object with such a property is written as
   * {@code $object}.
   */
  static boolean isReserved(String name) {
    return name.startsWith("$");
  }

  /** Returns the tag of that name, or null. */
  static @Nullable JsonTag of(String tag) {
    return BY_TAG.get(tag);
  }

  /** Returns the name of the only property if it is reserved, else null: the node is not tagged. */
  static @Nullable String tagOf(JsonNode node) {
    if (!node.isObject() || node.size() != 1) {
      return null;
    }
    String name = node.fieldNames().next();
    return isReserved(name) ? name : null;
  }

  /** Returns true if the node has this tag, whatever its payload. */
  boolean is(JsonNode node) {
    return tag.equals(tagOf(node));
  }

  /** Returns the payload of a node that {@linkplain #is has} this tag. */
  JsonNode payload(JsonNode node) {
    return node.path(tag);
  }

  ObjectNode with(JsonNode payload) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.set(tag, payload);
    return node;
  }

  ObjectNode with(String payload) {
    return with(JsonNodeFactory.instance.textNode(payload));
  }
}
