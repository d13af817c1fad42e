package io.kvreactive.documents.internal.plan;

import io.kvreactive.Versionstamp;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.internal.layout.IndexLayout;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.CollectionRecord;
import io.kvreactive.documents.internal.store.IndexAvailability;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collection metadata for planning, without a store. */
final class PlannedIndexes {
  private PlannedIndexes() {}

  static IndexAvailability of(IndexingPolicy policy) {
    return record(policy, List.of());
  }

  /** Returns metadata while some indexes are under construction. */
  static IndexAvailability building(IndexingPolicy policy, String... indexes) {
    List<CollectionRecord.Build> builds = new ArrayList<>();
    for (String index : indexes) {
      int number =
          index.contains("#") ? Integer.parseInt(index.substring(index.indexOf('#') + 1)) : 0;
      builds.add(new CollectionRecord.Build(index, number, 0, null));
    }
    return record(policy, builds);
  }

  private static IndexAvailability record(
      IndexingPolicy policy, List<CollectionRecord.Build> builds) {
    CollectionDefinition definition = CollectionDefinition.DEFAULT.withIndexingPolicy(policy);
    Map<String, Integer> numbers = new LinkedHashMap<>();
    for (String name : IndexLayout.names(definition)) {
      numbers.put(name, numbers.size() + 1);
    }
    CollectionRecord first = CollectionRecord.first("1", definition, numbers);
    CollectionRecord record = first.with(first.bases(), builds, first.drops());
    return CollectionMetadata.decode(
            "kvi", "c", record.encode().bytes(), Versionstamp.parse("00000000000000010000"))
        .available();
  }

  /** Returns the composite indexes of a text such as {@code /city, /at desc + /city, /level}. */
  static List<List<CompositePath>> composites(String text) {
    List<List<CompositePath>> composites = new ArrayList<>();
    if (text.equals("-")) {
      return composites;
    }
    for (String index : text.split("\\+")) {
      List<CompositePath> paths = new ArrayList<>();
      for (String path : index.split(",")) {
        String[] words = path.trim().split(" ");
        paths.add(
            words.length == 1
                ? CompositePath.ascending(words[0])
                : CompositePath.descending(words[0]));
      }
      composites.add(paths);
    }
    return composites;
  }
}
