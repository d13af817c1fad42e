package io.kvreactive.documents.internal.functions;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.documents.internal.value.Values;
import org.junit.jupiter.api.Test;

class ArrayFunctionsTest {
  @Test
  void concatenatesMeasuresAndSlices() {
    Table.check(
        """
        ARRAY_CONCAT(["apples"], ["bananas"], []) -> ["apples", "bananas"]
        ARRAY_CONCAT([], []) -> []
        ARRAY_CONCAT([1], "a") -> undefined
        ARRAY_CONCAT([1], undefined) -> undefined
        ARRAY_LENGTH([70, 86, 92]) -> 3
        ARRAY_LENGTH([]) -> 0
        ARRAY_LENGTH(null) -> undefined
        ARRAY_LENGTH("abc") -> undefined
        ARRAY_SLICE([1, 2, 3, 4], 1) -> [2, 3, 4]
        ARRAY_SLICE([1, 2, 3, 4], 1, 2) -> [2, 3]
        ARRAY_SLICE([1, 2, 3, 4], -2) -> [3, 4]
        ARRAY_SLICE([1, 2, 3, 4], -2, 1) -> [3]
        ARRAY_SLICE([1, 2, 3, 4], -9) -> [1, 2, 3, 4]
        ARRAY_SLICE([1, 2, 3, 4], 9) -> []
        ARRAY_SLICE([1, 2, 3, 4], 1, 0) -> []
        ARRAY_SLICE([1, 2, 3, 4], 1, -1) -> []
        ARRAY_SLICE([1, 2, 3, 4], 1, 99) -> [2, 3, 4]
        ARRAY_SLICE([1], -1e300, 1e300) -> [1]
        ARRAY_SLICE([1], "0") -> undefined
        ARRAY_SLICE("abc", 0) -> undefined
        ARRAY_SLICE([1], 0, undefined) -> undefined
        """);
  }

  @Test
  void findsElements() {
    Table.check(
        """
        ARRAY_CONTAINS(["a", "b"], "a") -> true
        ARRAY_CONTAINS(["a", "b"], "A") -> false
        ARRAY_CONTAINS([1, 2.0], 2) -> true
        ARRAY_CONTAINS([null], null) -> true
        ARRAY_CONTAINS([[1, 2]], [1, 2]) -> true
        ARRAY_CONTAINS([{"a": 1, "b": 2}], {"b": 2, "a": 1.0}) -> true
        ARRAY_CONTAINS([{"a": 1, "b": 2}], {"b": 2}) -> false
        ARRAY_CONTAINS([{"a": 1, "b": 2}], {"b": 2}, false) -> false
        ARRAY_CONTAINS([{"a": 1, "b": 2}], {"b": 2}, true) -> true
        ARRAY_CONTAINS([{"a": 1, "b": 2}], {"b": 2, "a": 3}, true) -> false
        ARRAY_CONTAINS([{"a": 1}], {"b": null}, true) -> false
        ARRAY_CONTAINS([{"a": 1}], {}, true) -> true
        ARRAY_CONTAINS(["a"], "a", true) -> true
        ARRAY_CONTAINS([{"a": {"b": 1, "c": 2}}], {"a": {"b": 1}}, true) -> false
        ARRAY_CONTAINS([], 1) -> false
        ARRAY_CONTAINS([1], undefined) -> undefined
        ARRAY_CONTAINS([1], 1, 1) -> undefined
        ARRAY_CONTAINS("abc", "a") -> undefined
        ARRAY_CONTAINS(undefined, "a") -> undefined
        """);
  }

  @Test
  void comparesPartsOfNestedObjectsByOption() {
    assertThat(
            Table.call(
                "ARRAY_CONTAINS([{\"a\": {\"b\": 1, \"c\": 2}}], {\"a\": {\"b\": 1}}, true)",
                Table.context(true)))
        .isEqualTo(Values.TRUE);
    assertThat(
            Table.call(
                "ARRAY_CONTAINS([{\"a\": {\"b\": 1}}], {\"a\": {\"b\": 2}}, true)",
                Table.context(true)))
        .isEqualTo(Values.FALSE);
  }

  @Test
  void findsAnyAndAllElements() {
    Table.check(
        """
        ARRAY_CONTAINS_ANY([1, 2, 3, 4], 1, 9) -> true
        ARRAY_CONTAINS_ANY([1, 2, 3, 4], 8, 9) -> false
        ARRAY_CONTAINS_ANY([1, 2, 3, 4], 5, undefined) -> undefined
        ARRAY_CONTAINS_ANY([1, 2, 3, 4], undefined, 1) -> true
        ARRAY_CONTAINS_ANY(1, 1) -> undefined
        ARRAY_CONTAINS_ANY([1.0], 7, 7, 7, 7, 7, 7, 7, 7, 1) -> true
        ARRAY_CONTAINS_ALL([1, 2, 3, 4], 1, 2, 3, 4) -> true
        ARRAY_CONTAINS_ALL([1, 2, 3, 4], 2, 3, 4, 5) -> false
        ARRAY_CONTAINS_ALL([1, 2, 3, 4], 1, undefined) -> undefined
        ARRAY_CONTAINS_ALL([1, 2, 3, 4], undefined, 5) -> false
        ARRAY_CONTAINS_ALL([{"a": [1]}, 1], 1, {"a": [1.0]}, 1, 1, 1, 1, 1, 1, 1) -> true
        ARRAY_CONTAINS_ALL(undefined, 1) -> undefined
        """);
  }

  @Test
  void combinesArraysAsSets() {
    Table.check(
        """
        SETINTERSECT([1, 2, 2, 3], [3, 2.0, 5]) -> [2, 3]
        SETINTERSECT([1], []) -> []
        SETUNION([1, 2, 2], [3, 1.0]) -> [1, 2, 3]
        SETUNION([{"a": 1, "b": 2}], [{"b": 2, "a": 1}]) -> [{"a": 1, "b": 2}]
        SETDIFFERENCE([1, 2, 3, 3], [2]) -> [1, 3]
        SETDIFFERENCE(["a", 1], ["A", "1"]) -> ["a", 1]
        SETEQUAL([1, 2, 2], [2, 1]) -> true
        SETEQUAL([1, 2], [1]) -> false
        SETEQUAL([], []) -> true
        SETUNION([1], 1) -> undefined
        SETEQUAL(undefined, []) -> undefined
        SETINTERSECT(null, []) -> undefined
        SETDIFFERENCE([], {}) -> undefined
        """);
  }

  @Test
  void aggregatesElements() {
    Table.check(
        """
        ARRAY_SUM([1, 2, 3.5]) -> 6.5
        ARRAY_SUM([]) -> 0
        ARRAY_SUM([1, "2"]) -> undefined
        ARRAY_AVG([1, 2]) -> 1.5
        ARRAY_AVG([]) -> undefined
        ARRAY_AVG([1, null]) -> undefined
        ARRAY_MEDIAN([3, 1, 2]) -> 2
        ARRAY_MEDIAN([4, 1, 2, 3]) -> 2.5
        ARRAY_MEDIAN([1e308, 1.5e308]) -> 1.25e308
        ARRAY_MEDIAN([]) -> undefined
        ARRAY_MEDIAN([true]) -> undefined
        ARRAY_MIN([3, 1, 2]) -> 1
        ARRAY_MAX([3, 1, 2]) -> 3
        ARRAY_MAX([3, "a", true]) -> "a"
        ARRAY_MIN([3, "a", null]) -> null
        ARRAY_MIN([]) -> undefined
        ARRAY_MAX([1, [2]]) -> undefined
        ARRAY_MAX("abc") -> undefined
        ARRAY_SUM(undefined) -> undefined
        """);
  }

  @Test
  void choosesElementsAndConvertsObjects() {
    Table.check(
        """
        CHOOSE(1, "a", "b") -> "a"
        CHOOSE(2, "a", "b") -> "b"
        CHOOSE(2, undefined, "b") -> "b"
        CHOOSE(0, "a") -> undefined
        CHOOSE(3, "a", "b") -> undefined
        CHOOSE(-1, "a") -> undefined
        CHOOSE(1.5, "a", "b") -> undefined
        CHOOSE("1", "a") -> undefined
        CHOOSE(undefined, "a") -> undefined
        OBJECTTOARRAY({"a": "1", "b": [2]}) -> [{"k": "a", "v": "1"}, {"k": "b", "v": [2]}]
        OBJECTTOARRAY({"a": 1}, "key") -> [{"key": "a", "v": 1}]
        OBJECTTOARRAY({"a": 1}, "key", "value") -> [{"key": "a", "value": 1}]
        OBJECTTOARRAY({}) -> []
        OBJECTTOARRAY({"a": 1}, "v") -> undefined
        OBJECTTOARRAY({"a": 1}, 1) -> undefined
        OBJECTTOARRAY([1]) -> undefined
        OBJECTTOARRAY(undefined) -> undefined
        IIF(true, 1, undefined) -> 1
        IIF(false, 1, 2) -> 2
        IIF(1, 1, 2) -> 2
        IIF("true", 1, 2) -> 2
        IIF(undefined, 1, 2) -> 2
        IIF(true, undefined, 2) -> undefined
        """);
  }

  @Test
  void failsForResultsThatAreTooLarge() {
    ArrayNode large = JsonNodeFactory.instance.arrayNode();
    for (int i = 0; i < FunctionRegistry.MAX_RESULT / 2 + 1; i++) {
      large.add(Values.NULL);
    }
    Table.checkTooLarge("ARRAY_CONCAT", large, large);
  }
}
