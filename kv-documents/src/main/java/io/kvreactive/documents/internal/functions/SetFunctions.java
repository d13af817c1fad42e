package io.kvreactive.documents.internal.functions;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.documents.internal.value.DeepKey;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.ScalarFunction;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Set operations on arrays, by deep equality. Results have no duplicates, and keep the order in
 * which elements first appear in the arguments.
 */
final class SetFunctions {
  private SetFunctions() {}

  static List<ScalarFunction> all() {
    return List.of(
        LambdaFunction.ofArrays("SETEQUAL", (a, b) -> Values.bool(set(a).equals(set(b)))),
        LambdaFunction.ofArrays(
            "SETINTERSECT",
            (a, b) -> {
              Set<DeepKey> common = set(a);
              common.retainAll(set(b));
              return array(common);
            }),
        LambdaFunction.ofArrays(
            "SETUNION",
            (a, b) -> {
              Set<DeepKey> union = set(a);
              union.addAll(set(b));
              return array(union);
            }),
        LambdaFunction.ofArrays(
            "SETDIFFERENCE",
            (a, b) -> {
              Set<DeepKey> difference = set(a);
              set(b).forEach(difference::remove);
              return array(difference);
            }));
  }

  private static Set<DeepKey> set(JsonNode array) {
    Set<DeepKey> set = new LinkedHashSet<>();
    array.forEach(element -> set.add(new DeepKey(element)));
    return set;
  }

  private static JsonNode array(Set<DeepKey> set) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode(set.size());
    for (DeepKey key : set) {
      checkpoint();
      array.add(key.value());
    }
    return array;
  }
}
