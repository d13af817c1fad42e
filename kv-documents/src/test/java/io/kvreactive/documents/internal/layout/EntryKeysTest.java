package io.kvreactive.documents.internal.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.kvreactive.documents.internal.ModelOrder;
import io.kvreactive.documents.internal.RandomJson;
import io.kvreactive.documents.internal.encoding.ContainerHashes;
import io.kvreactive.documents.internal.encoding.ValueDecoding.DecodedValue;
import io.kvreactive.documents.internal.encoding.ValueEncoding;
import io.kvreactive.documents.internal.layout.EntryKeys.DecodedEntry;
import io.kvreactive.documents.internal.layout.EntryKeys.ValueBound;
import io.kvreactive.documents.internal.path.IndexPath;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Compares ranges of keys to the values that they must contain. */
class EntryKeysTest {
  private static final ModelOrder ORDER = new ModelOrder();

  /** An index of up to three paths, some descending, with random rows. */
  private static final class Fixture {
    final RandomJson json;
    final Random random;
    final EntryKeys keys;
    final boolean[] descending;
    final List<JsonNode[]> rows = new ArrayList<>();
    final List<byte[]> bytes = new ArrayList<>();

    Fixture(long seed) {
      json = new RandomJson(seed);
      random = json.random();
      List<CompositeComponent> components = new ArrayList<>();
      descending = new boolean[1 + random.nextInt(3)];
      for (int i = 0; i < descending.length; i++) {
        descending[i] = random.nextBoolean();
        components.add(new CompositeComponent(IndexPath.of("p" + i), descending[i]));
      }
      keys = EntryKeys.of(new CompositeIndex(9, components));
      for (int i = 0; i < 25; i++) {
        JsonNode[] row = new JsonNode[descending.length];
        for (int j = 0; j < row.length; j++) {
          boolean again = i > 0 && random.nextInt(3) > 0;
          row[j] = again ? rows.get(random.nextInt(i))[j] : value();
        }
        rows.add(row);
        bytes.add(keys.key(row, i + 1, new ContainerHashes()));
      }
    }

    JsonNode value() {
      return json.any(1, ValueEncoding.budget(descending.length));
    }

    JsonNode valueOf(int column) {
      return random.nextBoolean() ? value() : rows.get(random.nextInt(rows.size()))[column];
    }

    /** Returns the first values of a row, so that ranges are rarely empty. */
    List<JsonNode> start() {
      JsonNode[] row = rows.get(random.nextInt(rows.size()));
      return Arrays.asList(row).subList(0, random.nextInt(row.length));
    }

    /** Asserts that the range contains all matching rows and, if exact, no others. */
    void check(KeyRange range, List<JsonNode> start, Predicate<JsonNode> next) {
      for (int i = 0; i < rows.size(); i++) {
        JsonNode[] row = rows.get(i);
        boolean expected = next.test(row[start.size()]);
        for (int j = 0; j < start.size(); j++) {
          expected &= same(row[j], start.get(j));
        }
        boolean contained = range.contains(bytes.get(i));
        if (expected || range.exact()) {
          assertThat(contained).as("%s in %s", Arrays.asList(row), start).isEqualTo(expected);
        }
      }
    }
  }

  private static boolean same(JsonNode a, JsonNode b) {
    return ORDER.compare(a, b) == 0 && (!a.isContainerNode() || a.equals(b));
  }

  @Property
  void ordersKeysLikeRows(@ForAll long seed) {
    Fixture f = new Fixture(seed);
    for (int i = 0; i < f.rows.size(); i++) {
      DecodedEntry entry = f.keys.read(f.bytes.get(i));
      assertThat(entry.docId()).isEqualTo(i + 1);
      for (int j = 0; j < i; j++) {
        int order = rowOrder(f, i, j, entry.values());
        if (order != 0) {
          assertThat(Integer.signum(Arrays.compareUnsigned(f.bytes.get(i), f.bytes.get(j))))
              .isEqualTo(order);
        }
      }
    }
  }

  /** Returns the order of two rows, or 0 if it depends on a value that is truncated in keys. */
  private static int rowOrder(Fixture f, int i, int j, List<DecodedValue> values) {
    for (int c = 0; c < values.size(); c++) {
      if (!values.get(c).exact()) {
        return 0;
      }
      int order = ORDER.compare(f.rows.get(i)[c], f.rows.get(j)[c]);
      if (order != 0) {
        return f.descending[c] ? -order : order;
      }
    }
    return Integer.compare(i, j);
  }

  @Property
  void findsRowsEqualToValues(@ForAll long seed) {
    Fixture f = new Fixture(seed);
    List<JsonNode> start = new ArrayList<>(f.start());
    f.check(f.keys.equalTo(start), start, value -> true);
    JsonNode last = f.valueOf(start.size());
    List<JsonNode> more = new ArrayList<>(start);
    more.add(last);
    f.check(f.keys.equalTo(more), start, value -> same(value, last));
  }

  @Property
  void findsRowsBetweenBounds(@ForAll long seed) {
    Fixture f = new Fixture(seed);
    List<JsonNode> start = f.start();
    JsonNode low = f.valueOf(start.size());
    JsonNode high = f.valueOf(start.size());
    int type = type(low);
    if (type < 1 || type > 5) {
      return;
    }
    boolean lowIn = f.random.nextBoolean();
    boolean highIn = f.random.nextBoolean();
    Predicate<JsonNode> ofType = value -> type(value) == type;
    Predicate<JsonNode> above = value -> ORDER.compare(value, low) > 0 || lowIn && same(value, low);
    Predicate<JsonNode> below =
        value -> ORDER.compare(value, high) < 0 || highIn && same(value, high);
    ValueBound from = new ValueBound(low, lowIn);
    f.check(f.keys.between(start, from, null), start, ofType.and(above));
    if (type(high) == type) {
      ValueBound to = new ValueBound(high, highIn);
      f.check(f.keys.between(start, null, to), start, ofType.and(below));
      f.check(f.keys.between(start, from, to), start, ofType.and(above).and(below));
    } else {
      assertThatThrownBy(() -> f.keys.between(start, from, new ValueBound(high, true)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  /** Returns the rank of a value's type, the same for false and true. */
  private static int type(JsonNode value) {
    int rank = ModelOrder.rank(value);
    return rank == 3 ? 2 : rank;
  }

  @Property
  void findsRowsWithAPrefix(@ForAll long seed) {
    Fixture f = new Fixture(seed);
    List<JsonNode> start = f.start();
    JsonNode from = f.valueOf(start.size());
    String text = from.isTextual() ? from.textValue() : "a";
    String cut = text.substring(0, f.random.nextInt(text.length() + 1));
    f.check(
        f.keys.startsWith(start, cut),
        start,
        value -> value.isTextual() && value.textValue().startsWith(cut));
  }

  @Property
  void findsRowsByType(@ForAll long seed) {
    Fixture f = new Fixture(seed);
    List<JsonNode> start = f.start();
    f.check(
        f.keys.tags(start, ValueEncoding.NULL, ValueEncoding.AFTER_ALL),
        start,
        value -> !value.isMissingNode());
    f.check(
        f.keys.tags(start, ValueEncoding.STRING, ValueEncoding.STRING + 1),
        start,
        JsonNode::isTextual);
    f.check(
        f.keys.tags(start, ValueEncoding.UNDEFINED, ValueEncoding.NULL),
        start,
        JsonNode::isMissingNode);
  }

  @Example
  void doesNotConfuseTruncatedTextWithItsPrefix() {
    EntryKeys keys = EntryKeys.of(IndexPath.of("p"));
    JsonNode cut = TextNode.valueOf("a".repeat(5000));
    assertThat(keys.equalTo(List.of(cut)).exact()).isFalse();
    assertThat(keys.equalTo(List.of(TextNode.valueOf("a".repeat(1000)))).exact()).isTrue();
    byte[] entry = keys.key(new JsonNode[] {cut}, 3, new ContainerHashes());
    KeyRange above =
        keys.between(List.of(), new ValueBound(TextNode.valueOf("a".repeat(4000)), false), null);
    assertThat(above.contains(entry)).isTrue();
    assertThat(keys.read(entry).values().get(0).exact()).isFalse();
  }

  @Example
  void rejectsKeysOfOtherIndexes() {
    EntryKeys keys = EntryKeys.of(IndexPath.of("p"));
    byte[] other =
        EntryKeys.of(IndexPath.of("q"))
            .key(new JsonNode[] {IntNode.valueOf(1)}, 1, new ContainerHashes());
    assertThatThrownBy(() -> keys.read(other)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> keys.read(keys.prefix())).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> keys.between(List.of(), null, null))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
