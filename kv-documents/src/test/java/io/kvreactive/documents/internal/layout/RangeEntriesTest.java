package io.kvreactive.documents.internal.layout;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.internal.RandomJson;
import io.kvreactive.documents.internal.encoding.DocIds;
import io.kvreactive.documents.internal.encoding.KeyBuffer;
import io.kvreactive.documents.internal.encoding.ValueEncoding;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.path.MemberStep;
import io.kvreactive.documents.internal.path.PathParser;
import io.kvreactive.documents.internal.path.PathRule;
import io.kvreactive.documents.internal.path.Step;
import io.kvreactive.documents.internal.path.WildcardStep;
import io.kvreactive.documents.internal.value.Values;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Compares range entries of random items to a plain evaluation of the rules for each path. */
class RangeEntriesTest {
  private static final long DOC = 300;

  @Property
  void createsTheEntriesOfTheRules(@ForAll long seed) {
    RandomJson json = new RandomJson(seed);
    IndexingPolicy policy = policy(json.random());
    IndexLayout layout =
        IndexLayout.of(CollectionDefinition.DEFAULT.withIndexingPolicy(policy), name -> 1);
    Model model = new Model(policy);
    for (int i = 0; i < 3; i++) {
      ObjectNode item = json.object(4, 30);
      item.put("id", "item").put("_ts", 17).put("_etag", "e");
      ItemEntries entries = ItemEntries.of(layout, item, DOC);
      assertThat(hex(entries.keys())).isEqualTo(hex(model.keys(item)));
      assertThat(entries.paths().keySet()).isEqualTo(model.withEntries);
      assertThat(entries.keys()).isSortedAccordingTo(Arrays::compareUnsigned);
      model.places.forEach(
          (path, node) -> {
            assertThat(layout.indexesScalar(path)).isEqualTo(model.indexes(path, true));
            assertThat(layout.indexesContainer(path)).isEqualTo(model.indexes(path, false));
          });
    }
  }

  private static List<String> hex(Iterable<byte[]> keys) {
    List<String> texts = new ArrayList<>();
    keys.forEach(key -> texts.add(HexFormat.of().formatHex(key)));
    return texts;
  }

  private static IndexingPolicy policy(Random random) {
    Set<String> included = new LinkedHashSet<>();
    Set<String> excluded = new LinkedHashSet<>();
    (random.nextBoolean() ? included : excluded).add("/*");
    for (int i = random.nextInt(8); i > 0; i--) {
      IndexPath path = IndexPath.ROOT;
      for (int step = 1 + random.nextInt(3); step > 0; step--) {
        boolean elements = path.size() > 0 && random.nextInt(3) == 0;
        String name = RandomJson.NAMES.get(random.nextInt(RandomJson.NAMES.size()));
        path = path.then(elements ? WildcardStep.ELEMENTS : new MemberStep(name));
      }
      String text = new PathRule(path, random.nextBoolean()).text();
      if (!included.contains(text) && !excluded.contains(text)) {
        (random.nextBoolean() ? included : excluded).add(text);
      }
    }
    return IndexingPolicy.of(List.copyOf(included), List.copyOf(excluded));
  }

  /** A simple, slow model that tests every path against every rule. */
  private static final class Model {
    final List<PathRule> included;
    final List<PathRule> excluded;
    final List<Map.Entry<IndexPath, JsonNode>> nodes = new ArrayList<>();
    final Map<IndexPath, JsonNode> places = new LinkedHashMap<>();
    final Set<String> withEntries = new TreeSet<>();
    private final TreeSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);

    Model(IndexingPolicy policy) {
      included = policy.includedPaths().stream().map(PathParser::rule).toList();
      excluded = policy.excludedPaths().stream().map(PathParser::rule).toList();
    }

    Iterable<byte[]> keys(JsonNode item) {
      keys.clear();
      nodes.clear();
      withEntries.clear();
      collect(IndexPath.ROOT, item);
      for (Map.Entry<IndexPath, JsonNode> node : nodes) {
        if (indexes(node.getKey(), !node.getValue().isContainerNode())) {
          add(node.getKey(), node.getValue());
        }
      }
      for (PathRule rule : included) {
        IndexPath path = rule.path();
        boolean present = nodes.stream().anyMatch(node -> node.getKey().equals(path));
        boolean entered = withEntries.contains(path.text());
        if (path.size() > 0 && (rule.subtree() ? !present : !entered)) {
          add(path, Values.UNDEFINED);
        }
      }
      return keys;
    }

    private void collect(IndexPath path, JsonNode value) {
      if (path.size() > 0) {
        nodes.add(Map.entry(path, value));
        places.put(path, value);
      }
      value.properties().forEach(m -> collect(path.then(new MemberStep(m.getKey())), m.getValue()));
      if (value.isArray()) {
        value.forEach(element -> collect(path.then(WildcardStep.ELEMENTS), element));
      }
    }

    boolean indexes(IndexPath path, boolean scalar) {
      if (scalar && (path.equals(IndexPath.of("id")) || path.equals(IndexPath.of("_ts")))) {
        return true;
      }
      int best = -1;
      boolean include = false;
      for (PathRule rule : included) {
        if (rank(rule, path, scalar) > best) {
          best = rank(rule, path, scalar);
          include = true;
        }
      }
      for (PathRule rule : excluded) {
        if (rank(rule, path, scalar) > best) {
          best = rank(rule, path, scalar);
          include = false;
        }
      }
      return include && !(path.equals(IndexPath.of("_etag")) && best < 2);
    }

    /**
     * Returns twice the number of steps of a matching rule, plus one for a scalar rule; -1 if the
     * rule does not match.
     */
    private static int rank(PathRule rule, IndexPath path, boolean scalar) {
      List<Step> steps = rule.path().steps();
      boolean matches =
          rule.subtree()
              ? path.size() >= steps.size() && path.steps().subList(0, steps.size()).equals(steps)
              : scalar && path.steps().equals(steps);
      return matches ? 2 * steps.size() + (rule.subtree() ? 0 : 1) : -1;
    }

    private void add(IndexPath path, JsonNode value) {
      withEntries.add(path.text());
      KeyBuffer key = new KeyBuffer().add(EntryKeys.of(path).prefix());
      key.add(ValueEncoding.encode(value, false, ValueEncoding.KEY_BUDGET));
      DocIds.write(key, DOC);
      keys.add(key.toBytes());
    }
  }
}
