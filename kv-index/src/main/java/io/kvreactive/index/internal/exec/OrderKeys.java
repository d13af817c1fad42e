package io.kvreactive.index.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.internal.plan.Ordered;
import io.kvreactive.index.internal.value.Values;
import java.util.Comparator;
import java.util.List;

/** What items are ordered by, where that is the same for all rows of an item. */
record OrderKeys(List<Ordered> ordering) {
  JsonNode[] of(Candidate loaded) {
    JsonNode[] keys = new JsonNode[ordering.size()];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = PathValues.get(loaded.document(), ordering.get(i).place().exact());
    }
    return keys;
  }

  Comparator<JsonNode[]> order() {
    return (a, b) -> {
      for (int i = 0; i < a.length; i++) {
        int order = Values.compare(a[i], b[i]);
        if (order != 0) {
          return ordering.get(i).descending() ? -order : order;
        }
      }
      return 0;
    };
  }
}
