package io.kvreactive.spatial;

import static io.kvreactive.spatial.TestShapes.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.Definitions;
import io.kvreactive.documents.spi.CallCondition;
import io.kvreactive.documents.spi.CallCondition.Comparison;
import io.kvreactive.documents.spi.IndexExtension;
import io.kvreactive.documents.spi.IndexExtensions;
import io.kvreactive.documents.spi.ScalarFunction;
import io.kvreactive.documents.spi.TermIndex;
import io.kvreactive.documents.spi.TermRange;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SpatialTermIndexTest {
  private static final String POINT = "{'type':'Point','coordinates':[11.5,48.1]}";
  private static final String SQUARE =
      "{'type':'Polygon','coordinates':[[[11,48],[12,48],[12,49],[11,49],[11,48]]]}";

  private static final TermIndex GLOBE = index("", "Geography");
  private static final TermIndex PLANE =
      index(",'boundingBox':{'xmin':0,'ymin':0,'xmax':100,'ymax':100}", "Geometry");

  private static TermIndex index(String box, String on) {
    return IndexExtension.allIndexes(
            definition("{'path':'/place/?','types':['Polygon','Point']" + box + "}", on))
        .get(0);
  }

  private static CollectionDefinition definition(String indexes, String on) {
    return Definitions.parse(
        ("{'indexingPolicy':{'includedPaths':[{'path':'/*'}],'spatialIndexes':["
                + indexes
                + "]},'geospatialConfig':{'type':'"
                + on
                + "'}}")
            .replace('\'', '"'));
  }

  private static CallCondition condition(
      String function, String constant, Comparison comparison, String bound) {
    return condition(function, Arrays.asList(null, json(constant)), comparison, bound);
  }

  private static CallCondition condition(
      String function, List<@Nullable JsonNode> arguments, Comparison comparison, String bound) {
    return new CallCondition(function, 0, arguments, comparison, json(bound));
  }

  @Test
  void isDiscoveredByServiceLoader() {
    assertThat(IndexExtensions.support("spatialIndexes")).isTrue();
    assertThat(IndexExtensions.support("vectorIndexes")).isFalse();
    assertThat(IndexExtensions.functions())
        .extracting(ScalarFunction::name)
        .containsExactlyInAnyOrder(
            "ST_DISTANCE",
            "ST_WITHIN",
            "ST_INTERSECTS",
            "ST_ISVALID",
            "ST_ISVALIDDETAILED",
            "ST_AREA");
  }

  @Test
  void namesEveryParameterOfTheTerms() {
    assertThat(GLOBE.kind()).isEqualTo("spatial");
    assertThat(GLOBE.path()).isEqualTo("/place/?");
    assertThat(GLOBE.spec()).containsExactly("/place/?", "Point", "Polygon");
    assertThat(GLOBE.name()).isEqualTo("spatial /place/? Point,Polygon Geography");
    assertThat(PLANE.name())
        .isEqualTo("spatial /place/? Point,Polygon Geometry 0.0,0.0,100.0,100.0");
  }

  @Test
  void treatsEqualIndexesAsOne() {
    String first = "{'path':'/a/?','types':['Point','Polygon']}";
    String second = "{'path':'/a/?','types':['Polygon','Point']}";
    String third = "{'path':'/b/?','types':['Point']}";
    assertThat(
            IndexExtension.allIndexes(definition(first + "," + second + "," + third, "Geography")))
        .extracting(TermIndex::path)
        .containsExactly("/a/?", "/b/?");
    assertThat(new SpatialExtension().indexes(CollectionDefinition.DEFAULT)).isEmpty();
  }

  @Test
  void createsOneTermForAPointAndAFewForAPolygon() {
    assertThat(GLOBE.terms(json(POINT))).hasSize(1);
    assertThat(PLANE.terms(json(POINT))).hasSize(1);
    assertThat(GLOBE.terms(json(SQUARE))).hasSizeBetween(2, 12);
    assertThat(PLANE.terms(json(SQUARE))).hasSizeBetween(2, 12);
  }

  @Test
  void createsNoTermsForValuesThatAreNotShapes() {
    for (String value : List.of("3", "null", "[]", "{}", "{'type':'Point','coordinates':[0,91]}")) {
      assertThat(GLOBE.terms(json(value))).isEmpty();
    }
    assertThat(GLOBE.terms(com.fasterxml.jackson.databind.node.MissingNode.getInstance()))
        .isEmpty();
  }

  /** The functions are defined for these shapes, so that every query must evaluate them. */
  @Test
  void keepsShapesItCannotDescribeAsCandidates() {
    String line = "{'type':'LineString','coordinates':[[1,1],[2,2]]}";
    assertThat(GLOBE.terms(json(line))).isNull();
    assertThat(PLANE.terms(json(line))).isNull();
    assertThat(PLANE.terms(json("{'type':'Point','coordinates':[101,5]}"))).isNull();
    assertThat(
            PLANE.terms(json("{'type':'Polygon','coordinates':[[[90,9],[110,9],[99,20],[90,9]]]}")))
        .isNull();
  }

  @Test
  void servesSupportedConditionsOnly() {
    for (TermIndex index : List.of(GLOBE, PLANE)) {
      for (String function : List.of("ST_WITHIN", "ST_INTERSECTS")) {
        assertThat(index.ranges(condition(function, SQUARE, Comparison.EQUAL, "true")))
            .isNotEmpty();
        assertThat(index.ranges(condition(function, SQUARE, Comparison.EQUAL, "false"))).isNull();
        assertThat(index.ranges(condition(function, SQUARE, Comparison.EQUAL, "1"))).isNull();
        assertThat(index.ranges(condition(function, SQUARE, Comparison.LESS, "true"))).isNull();
      }
      for (Comparison comparison : Comparison.values()) {
        boolean served =
            comparison != Comparison.GREATER && comparison != Comparison.GREATER_OR_EQUAL;
        assertThat(index.ranges(condition("ST_DISTANCE", SQUARE, comparison, "5")) != null)
            .isEqualTo(served);
      }
      assertThat(index.ranges(condition("ST_DISTANCE", SQUARE, Comparison.LESS, "true"))).isNull();
      assertThat(index.ranges(condition("ST_AREA", SQUARE, Comparison.LESS, "5"))).isNull();
      assertThat(
              index.ranges(
                  condition("ST_WITHIN", Arrays.asList(null, null), Comparison.EQUAL, "true")))
          .isNull();
    }
  }

  @Test
  void createsNoRangesForUnsatisfiableConditions() {
    for (TermIndex index : List.of(GLOBE, PLANE)) {
      assertThat(index.ranges(condition("ST_WITHIN", "{}", Comparison.EQUAL, "true"))).isEmpty();
      assertThat(index.ranges(condition("ST_DISTANCE", "7", Comparison.LESS, "5"))).isEmpty();
      assertThat(index.ranges(condition("ST_DISTANCE", POINT, Comparison.LESS, "-1"))).isEmpty();
    }
  }

  /** Without a range, the query would miss matching shapes outside of the box. */
  @Test
  void createsARangeForAConditionOutsideTheBox() {
    String far = "{'type':'Point','coordinates':[500,500]}";
    assertThat(PLANE.ranges(condition("ST_INTERSECTS", far, Comparison.EQUAL, "true"))).hasSize(1);
  }

  @Test
  void excludesDistantShapesFromRanges() {
    for (TermIndex index : List.of(GLOBE, PLANE)) {
      List<TermRange> ranges =
          index.ranges(condition("ST_WITHIN", SQUARE, Comparison.EQUAL, "true"));
      assertThat(isFound(index, ranges, 11.5, 48.5)).isTrue();
      assertThat(isFound(index, ranges, 11.5, 50)).isFalse();
      assertThat(isFound(index, ranges, 10, 48.5)).isFalse();
      List<TermRange> all = index.ranges(condition("ST_DISTANCE", POINT, Comparison.LESS, "1e30"));
      assertThat(isFound(index, all, 99, 1)).isTrue();
      assertThat(isFound(index, all, 3, 89)).isTrue();
      assertThat(all).hasSize(1);
    }
    List<TermRange> near = GLOBE.ranges(condition("ST_DISTANCE", POINT, Comparison.LESS, "1000"));
    assertThat(isFound(GLOBE, near, 11.51, 48.1)).isTrue(); // 743 m away
    assertThat(isFound(GLOBE, near, 11.55, 48.1)).isFalse();
  }

  private static boolean isFound(TermIndex index, List<TermRange> ranges, double x, double y) {
    JsonNode point = TestShapes.shape("Point", TestShapes.position(x, y));
    return index.terms(point).stream()
        .anyMatch(term -> SpatialTermIndexPropertyTest.isIn(ranges, term));
  }
}
