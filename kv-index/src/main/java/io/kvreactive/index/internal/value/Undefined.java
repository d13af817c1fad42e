package io.kvreactive.index.internal.value;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;

/**
 * The value of what is not there. It is no JSON: a member that is undefined is left out, and an
 * operator or function that is given it mostly gives it back. {@code null} is another value.
 */
public final class Undefined {
  public static final JsonNode UNDEFINED = MissingNode.getInstance();

  private Undefined() {}

  public static boolean isUndefined(JsonNode value) {
    return value.isMissingNode();
  }
}
