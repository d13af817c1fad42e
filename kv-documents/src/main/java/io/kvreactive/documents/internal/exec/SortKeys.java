package io.kvreactive.documents.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.encoding.OrderedValue;
import io.kvreactive.documents.internal.plan.Plan.OrderTerm;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** The sort keys of items, for an order that is the same for all rows of an item. */
record SortKeys(List<OrderTerm> ordering) {
  JsonNode[] of(Candidate loaded) {
    JsonNode[] keys = new JsonNode[ordering.size()];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = ordering.get(i).field().exact().in(loaded.document());
    }
    return keys;
  }

  /** Returns the sort keys in comparable form. */
  OrderedValue[] ordered(Candidate loaded) {
    return ordered(Arrays.asList(of(loaded)));
  }

  static OrderedValue[] ordered(List<JsonNode> values) {
    return values.stream().map(OrderedValue::of).toArray(OrderedValue[]::new);
  }

  Comparator<OrderedValue[]> order() {
    return OrderedValue.order(i -> ordering.get(i).descending());
  }
}
