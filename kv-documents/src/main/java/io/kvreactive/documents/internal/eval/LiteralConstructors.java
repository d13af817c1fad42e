package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Compiles array and object constructors of a query. Undefined parts are left out. */
final class LiteralConstructors {
  private LiteralConstructors() {}

  static Evaluator array(List<Evaluator> elements) {
    return row -> {
      ArrayNode array = JsonNodeFactory.instance.arrayNode(elements.size());
      for (Evaluator element : elements) {
        JsonNode value = element.value(row);
        if (!value.isMissingNode()) {
          array.add(value);
        }
      }
      return MemoryEstimator.checked(array, row.budget());
    };
  }

  static Evaluator object(List<String> names, List<Evaluator> values) {
    return row -> {
      ObjectNode object = JsonNodeFactory.instance.objectNode();
      for (int i = 0; i < names.size(); i++) {
        JsonNode value = values.get(i).value(row);
        if (!value.isMissingNode()) {
          object.set(names.get(i), value);
        }
      }
      return MemoryEstimator.checked(object, row.budget());
    };
  }
}
