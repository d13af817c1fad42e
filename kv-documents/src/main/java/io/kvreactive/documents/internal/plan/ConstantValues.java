package io.kvreactive.documents.internal.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.internal.sql.ast.Expr;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Evaluates expressions that are the same for every item. */
final class ConstantValues {
  private final Map<String, JsonNode> parameters;

  ConstantValues(Map<String, JsonNode> parameters) {
    this.parameters = parameters;
  }

  /** Returns the value, which may be undefined, or null if the expression is not constant. */
  @Nullable JsonNode value(Expr expr) {
    if (expr instanceof Expr.Constant constant) {
      return constant.value();
    }
    if (expr instanceof Expr.Parameter parameter) {
      return parameters.get(parameter.name());
    }
    if (expr instanceof Expr.ArrayLiteral array) {
      return array(array);
    }
    return expr instanceof Expr.ObjectLiteral object ? object(object) : null;
  }

  private @Nullable JsonNode array(Expr.ArrayLiteral literal) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    for (Expr element : literal.elements()) {
      JsonNode value = value(element);
      if (value == null) {
        return null;
      }
      if (!value.isMissingNode()) {
        array.add(value);
      }
    }
    return array;
  }

  private @Nullable JsonNode object(Expr.ObjectLiteral literal) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    for (Expr.Pair pair : literal.members()) {
      JsonNode value = value(pair.value());
      if (value == null) {
        return null;
      }
      if (!value.isMissingNode()) {
        object.set(pair.name(), value);
      }
    }
    return object;
  }
}
