package io.kvreactive.documents.internal.value;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class ValuesTest {
  /** Values in ascending order. */
  private static final List<JsonNode> ASCENDING =
      List.of(
          Values.UNDEFINED,
          Values.NULL,
          Values.FALSE,
          Values.TRUE,
          DoubleNode.valueOf(Double.NEGATIVE_INFINITY),
          Json.parse("-1e300"),
          Json.parse("-1"),
          Json.parse("0"),
          Json.parse("1e-300"),
          Json.parse("1.5"),
          Json.parse("9007199254740992"),
          Json.parse("18446744073709551616"),
          DoubleNode.valueOf(Double.POSITIVE_INFINITY),
          DoubleNode.valueOf(Double.NaN),
          Values.text(""),
          Values.text("A"),
          Values.text("a"),
          Values.text("aa"),
          Values.text("\ud83d\ude00"),
          Values.text("\uffff"),
          Json.parse("[]"),
          Json.parse("[null]"),
          Json.parse("[1]"),
          Json.parse("[1,null]"),
          Json.parse("[2]"),
          Json.parse("{}"),
          Json.parse("{\"a\":1}"),
          Json.parse("{\"b\":0,\"a\":1}"),
          Json.parse("{\"a\":2}"),
          Json.parse("{\"b\":0}"));

  @Test
  void ordersValues() {
    for (int i = 0; i < ASCENDING.size(); i++) {
      for (int k = 0; k < ASCENDING.size(); k++) {
        assertThat(Integer.signum(Values.compare(ASCENDING.get(i), ASCENDING.get(k))))
            .as(ASCENDING.get(i) + " and " + ASCENDING.get(k))
            .isEqualTo(Integer.compare(i, k));
      }
    }
  }

  @Test
  void comparesValuesForEquality() {
    assertEqual("1", "1.0");
    assertEqual("1", "1e0");
    assertEqual("-0.0", "0");
    assertEqual("9007199254740993", "9007199254740992");
    assertEqual("{\"a\":1,\"b\":[2]}", "{\"b\":[2.0],\"a\":1}");
    ObjectNode withUndefined = JsonNodeFactory.instance.objectNode();
    withUndefined.set("a", Values.UNDEFINED);
    assertThat(Values.equal(withUndefined, Json.parse("{}"))).isTrue();
    assertThat(Values.hash(withUndefined)).isEqualTo(Values.hash(Json.parse("{}")));
    assertThat(Values.equal(Json.parse("1"), Json.parse("\"1\""))).isFalse();
    assertThat(Values.equal(Json.parse("null"), Values.UNDEFINED)).isFalse();
  }

  private static void assertEqual(String a, String b) {
    assertThat(Values.equal(Json.parse(a), Json.parse(b))).as(a + " = " + b).isTrue();
    assertThat(Values.hash(Json.parse(a))).isEqualTo(Values.hash(Json.parse(b)));
    assertThat(new DeepKey(Json.parse(a))).isEqualTo(new DeepKey(Json.parse(b)));
  }

  @Test
  void evaluatesComparisonOperators() {
    JsonNode one = Json.parse("1");
    JsonNode two = Json.parse("2");
    JsonNode text = Json.parse("\"a\"");
    assertThat(Values.isLess(one, two)).isEqualTo(Values.TRUE);
    assertThat(Values.isLess(two, one)).isEqualTo(Values.FALSE);
    assertThat(Values.isLessOrEqual(one, one)).isEqualTo(Values.TRUE);
    assertThat(Values.isGreater(Values.TRUE, Values.FALSE)).isEqualTo(Values.TRUE);
    assertThat(Values.isGreaterOrEqual(Values.NULL, Values.NULL)).isEqualTo(Values.TRUE);
    assertThat(Values.isLess(Values.NULL, Values.NULL)).isEqualTo(Values.FALSE);
    assertThat(Values.isLess(text, Json.parse("\"b\""))).isEqualTo(Values.TRUE);
    for (JsonNode[] pair :
        new JsonNode[][] {
          {one, text},
          {Values.NULL, one},
          {Values.TRUE, one},
          {Json.parse("[1]"), Json.parse("[2]")},
          {Json.parse("{}"), Json.parse("{}")},
          {Values.UNDEFINED, one},
          {Values.UNDEFINED, Values.UNDEFINED}
        }) {
      assertThat(Values.isLess(pair[0], pair[1]).isMissingNode()).isTrue();
      assertThat(Values.isLessOrEqual(pair[0], pair[1]).isMissingNode()).isTrue();
      assertThat(Values.isGreater(pair[1], pair[0]).isMissingNode()).isTrue();
      assertThat(Values.isGreaterOrEqual(pair[1], pair[0]).isMissingNode()).isTrue();
    }
  }

  @Test
  void evaluatesEqualityOperators() {
    assertThat(Values.isEqual(Json.parse("5"), Json.parse("\"5\""))).isEqualTo(Values.FALSE);
    assertThat(Values.isNotEqual(Json.parse("5"), Json.parse("\"5\""))).isEqualTo(Values.TRUE);
    assertThat(Values.isEqual(Json.parse("[1]"), Json.parse("[1.0]"))).isEqualTo(Values.TRUE);
    assertThat(Values.isEqual(Values.NULL, Values.UNDEFINED).isMissingNode()).isTrue();
    assertThat(Values.isNotEqual(Values.UNDEFINED, Values.UNDEFINED).isMissingNode()).isTrue();
  }

  @Test
  void acceptsOnlyTrueAsTrue() {
    assertThat(Values.isTrue(Values.TRUE)).isTrue();
    for (String other : new String[] {"false", "1", "\"true\"", "null", "[true]"}) {
      assertThat(Values.isTrue(Json.parse(other))).isFalse();
    }
    assertThat(Values.isTrue(Values.UNDEFINED)).isFalse();
  }

  @Test
  void writesNumbersInTheShortestForm() {
    assertThat(Json.writeText(Values.number(3.0))).isEqualTo("3");
    assertThat(Json.writeText(Values.number(-0.0))).isEqualTo("0");
    assertThat(Json.writeText(Values.number(2.5))).isEqualTo("2.5");
    assertThat(Json.writeText(Values.number(Long.MIN_VALUE))).isEqualTo("-9223372036854775808");
    assertThat(Values.number(5)).isSameAs(Values.number(5.0));
  }

  @Property
  void hasATotalOrder(
      @ForAll("values") JsonNode a, @ForAll("values") JsonNode b, @ForAll("values") JsonNode c) {
    assertThat(Values.compare(a, a)).isZero();
    assertThat(Integer.signum(Values.compare(a, b)))
        .isEqualTo(-Integer.signum(Values.compare(b, a)));
    if (Values.compare(a, b) <= 0 && Values.compare(b, c) <= 0) {
      assertThat(Values.compare(a, c)).isLessThanOrEqualTo(0);
    }
    assertThat(Values.equal(a, b)).isEqualTo(Values.compare(a, b) == 0);
    if (Values.equal(a, b)) {
      assertThat(Values.hash(a)).isEqualTo(Values.hash(b));
    }
  }

  @Property
  void keepsOneOfEachDistinctValue(@ForAll("values") JsonNode a, @ForAll("values") JsonNode b) {
    Set<DeepKey> set = new HashSet<>(List.of(new DeepKey(a)));
    assertThat(set.add(new DeepKey(b))).isEqualTo(!Values.equal(a, b));
  }

  @Provide
  static Arbitrary<JsonNode> values() {
    Arbitrary<JsonNode> scalars =
        Arbitraries.oneOf(
            Arbitraries.of(
                Values.NULL,
                Values.TRUE,
                Values.FALSE,
                Json.parse("1"),
                Json.parse("1.0"),
                Json.parse("1.00"),
                Json.parse("-0.0"),
                Json.parse("0")),
            Arbitraries.longs().map(Values::number),
            Arbitraries.doubles().map(Values::number),
            Arbitraries.strings().ofMaxLength(3).map(Values::text));
    return Arbitraries.recursive(
        () -> scalars,
        inner ->
            Arbitraries.oneOf(
                inner
                    .list()
                    .ofMaxSize(3)
                    .map(list -> JsonNodeFactory.instance.arrayNode().addAll(list)),
                Arbitraries.maps(Arbitraries.of("a", "b", "c"), inner)
                    .ofMaxSize(3)
                    .map(map -> JsonNodeFactory.instance.objectNode().setAll(map))),
        0,
        2);
  }
}
