package io.kvreactive.documents.internal.exec;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.Explanation;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.QueryOptions.PlannerMode;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.testing.ShortTries;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/**
 * An index that EXPLAIN offers is used when it exists, and the query then reads fewer entries. The
 * items are all combinations of the values, so each condition excludes some items that match the
 * other conditions.
 */
class PotentialIndexesPropertyTest {
  private static final int VALUES = 3;
  private static final List<String> FIELDS = List.of("a", "b", "c", "d");

  @Property(tries = 25, shrinking = ShrinkingMode.OFF)
  @ShortTries(8)
  void offersOnlyIndexesThatAreUsedAndReadLess(@ForAll long seed) {
    Random random = new Random(seed);
    IndexingPolicy policy = policy(random);
    String sql = query(random);
    PlannerMode mode = random.nextInt(3) > 0 ? PlannerMode.STRICT : PlannerMode.EXTENDED;
    Explanation before = explain(policy, sql, mode);
    for (JsonNode offer : before.indexMetrics().get("PotentialCompositeIndexes")) {
      List<CompositePath> paths = new ArrayList<>();
      for (JsonNode spec : offer.get("IndexSpecs")) {
        String[] words = spec.asText().split(" ");
        paths.add(
            words[1].equals("ASC")
                ? CompositePath.ascending(words[0])
                : CompositePath.descending(words[0]));
      }
      IndexingPolicy more = policy.withComposite(paths.toArray(CompositePath[]::new));
      int number = more.compositeIndexes().size();
      assertThat(number).isGreaterThan(policy.compositeIndexes().size());
      check(before, explain(more, sql, mode), "composite#" + number, sql + " by " + policy);
    }
    for (JsonNode offer : before.indexMetrics().get("PotentialSingleIndexes")) {
      String path = offer.get("IndexSpec").asText();
      IndexingPolicy more =
          policy
              .withPaths(
                  policy.includedPaths(),
                  policy.excludedPaths().stream().filter(other -> !other.equals(path)).toList())
              .withIncluded(path);
      check(before, explain(more, sql, mode), "range:" + path, sql + " by " + policy);
    }
  }

  private static void check(Explanation before, Explanation after, String index, String what) {
    assertThat(after.plan().toString()).as(what).contains("\"" + index + "\"");
    // an index with more equality filters before the order reads and sorts fewer entries
    boolean ordersBetter = equalInOrder(after) > equalInOrder(before);
    if (!ordersBetter) {
      assertThat(read(after)).as(what).isLessThan(read(before));
    }
  }

  private static int equalInOrder(Explanation explained) {
    return explained.plan().at("/orderBy/range/eq").size();
  }

  /** Returns the number of entries that the scans of a plan read, or the number of all items. */
  private static long read(Explanation explained) {
    JsonNode access = explained.plan().get("access");
    if (access.isEmpty()) {
      return (long) Math.pow(VALUES, FIELDS.size());
    }
    long entries = 0;
    for (JsonNode scan : access) {
      entries += scan.get("estimatedEntries").asLong();
    }
    return entries;
  }

  private static IndexingPolicy policy(Random random) {
    IndexingPolicy policy =
        random.nextBoolean() ? IndexingPolicy.DEFAULT : IndexingPolicy.includeRoot("/d/?");
    for (int i = random.nextInt(3); i > 0; i--) {
      List<String> fields = new ArrayList<>(FIELDS);
      Collections.shuffle(fields, random);
      List<CompositePath> paths = new ArrayList<>();
      for (String field : fields.subList(0, 2 + random.nextInt(2))) {
        paths.add(
            random.nextBoolean()
                ? CompositePath.ascending("/" + field)
                : CompositePath.descending("/" + field));
      }
      policy = policy.withComposite(paths.toArray(CompositePath[]::new));
    }
    return policy;
  }

  private static String query(Random random) {
    List<String> fields = new ArrayList<>(FIELDS);
    Collections.shuffle(fields, random);
    String where =
        fields.subList(0, 1 + random.nextInt(FIELDS.size())).stream()
            .map(
                field ->
                    "c."
                        + field
                        + switch (random.nextInt(4)) {
                          case 0 -> " > 0";
                          case 1 -> " != 1";
                          default -> " = 1";
                        })
            .collect(Collectors.joining(random.nextInt(5) == 0 ? " OR " : " AND "));
    String order = random.nextInt(3) == 0 ? " ORDER BY c." + "abc".charAt(random.nextInt(3)) : "";
    return "SELECT * FROM c WHERE " + where + order;
  }

  private static Explanation explain(IndexingPolicy policy, String sql, PlannerMode mode) {
    try (QueryStore store = new QueryStore(policy)) {
      List<ObjectNode> items = new ArrayList<>();
      int all = (int) Math.pow(VALUES, FIELDS.size());
      for (int i = 0; i < all; i++) {
        ObjectNode item = JsonNodeFactory.instance.objectNode().put("id", Integer.toString(i));
        int rest = i;
        for (String field : FIELDS) {
          item.put(field, rest % VALUES);
          rest /= VALUES;
        }
        items.add(item);
      }
      store.fill(items);
      return Objects.requireNonNull(
          store
              .items
              .explain(SqlQuery.of(sql).withOptions(QueryOptions.DEFAULT.withPlannerMode(mode)))
              .block(QueryStore.PATIENCE));
    }
  }
}
