package io.kvreactive.documents.internal.value;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;

/**
 * The undefined value, which stands for absent members. Undefined is not JSON: an undefined member
 * is left out, and most operators and functions return undefined if an operand is undefined. {@code
 * null} is another value.
 */
public final class Undefined {
  public static final JsonNode UNDEFINED = MissingNode.getInstance();

  private Undefined() {}

  public static boolean isUndefined(JsonNode value) {
    return value.isMissingNode();
  }
}
