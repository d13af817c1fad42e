package io.kvreactive.documents.internal.functions;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.ScalarFunction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class FunctionRegistryTest {
  private static final int MANY = Integer.MAX_VALUE;

  /** Name, minimum and maximum number of arguments. */
  private static final String ARITIES =
      """
      IS_ARRAY 1 1, IS_BOOL 1 1, IS_DEFINED 1 1, IS_NULL 1 1, IS_NUMBER 1 1, IS_OBJECT 1 1,
      IS_PRIMITIVE 1 1, IS_STRING 1 1, IS_FINITE_NUMBER 1 1, IS_INTEGER 1 1,
      CONCAT 2 *, CONTAINS 2 3, STARTSWITH 2 3, ENDSWITH 2 3, STRINGEQUALS 2 3, INDEX_OF 2 3,
      LEFT 2 2, RIGHT 2 2, LENGTH 1 1, LOWER 1 1, UPPER 1 1, LTRIM 1 2, RTRIM 1 2, TRIM 1 2,
      REPLACE 3 3, REPLICATE 2 2, REVERSE 1 1, SUBSTRING 3 3, REGEXMATCH 2 3,
      LASTINDEXOF 2 2, STRINGJOIN 2 2, STRINGSPLIT 2 2, CONTAINS_ALL_CI 2 *, CONTAINS_ALL_CS 2 *,
      CONTAINS_ANY_CI 2 *, CONTAINS_ANY_CS 2 *,
      STRINGTOARRAY 1 1, STRINGTOBOOLEAN 1 1, STRINGTONULL 1 1, STRINGTONUMBER 1 1,
      STRINGTOOBJECT 1 1, TOSTRING 1 1,
      ABS 1 1, ACOS 1 1, ASIN 1 1, ATAN 1 1, ATN2 2 2, CEILING 1 1, COS 1 1, COT 1 1, DEGREES 1 1,
      EXP 1 1, FLOOR 1 1, LOG 1 2, LOG10 1 1, PI 0 0, POWER 2 2, RADIANS 1 1, RAND 0 0, ROUND 1 1,
      SIGN 1 1, SIN 1 1, SQRT 1 1, SQUARE 1 1, TAN 1 1, TRUNC 1 1,
      INTADD 2 2, INTSUB 2 2, INTMUL 2 2, INTDIV 2 2, INTMOD 2 2, INTBITAND 2 2, INTBITOR 2 2,
      INTBITXOR 2 2, INTBITNOT 1 1, INTBITLEFTSHIFT 2 2, INTBITRIGHTSHIFT 2 2, NUMBERBIN 1 2,
      ARRAY_CONCAT 2 *, ARRAY_LENGTH 1 1, ARRAY_SLICE 2 3, ARRAY_CONTAINS 2 3,
      ARRAY_CONTAINS_ANY 2 *, ARRAY_CONTAINS_ALL 2 *, SETINTERSECT 2 2, SETUNION 2 2,
      SETDIFFERENCE 2 2, SETEQUAL 2 2, ARRAY_MAX 1 1, ARRAY_MIN 1 1, ARRAY_SUM 1 1, ARRAY_AVG 1 1,
      ARRAY_MEDIAN 1 1, CHOOSE 2 *, OBJECTTOARRAY 1 3, IIF 3 3,
      DATETIMEADD 3 3, DATETIMEBIN 2 4, DATETIMEDIFF 3 3, DATETIMEFROMPARTS 3 7, DATETIMEPART 2 2,
      DATETIMEFORMAT 2 2, DATETIMETOTICKS 1 1, DATETIMETOTIMESTAMP 1 1, TICKSTODATETIME 1 1,
      TIMESTAMPTODATETIME 1 1, GETCURRENTDATETIME 0 0, GETCURRENTDATETIMESTATIC 0 0,
      GETCURRENTTICKS 0 0, GETCURRENTTICKSSTATIC 0 0, GETCURRENTTIMESTAMP 0 0,
      GETCURRENTTIMESTAMPSTATIC 0 0, DOCUMENTID 1 1
      """;

  private static List<String> rows() {
    return Arrays.stream(ARITIES.split(",")).map(String::strip).toList();
  }

  private static ScalarFunction function(String row) {
    return FunctionRegistry.find(row.split(" ")[0]);
  }

  @Test
  void containsEveryFunctionWithItsArity() {
    for (String row : rows()) {
      String[] parts = row.split(" ");
      ScalarFunction function = function(row);
      assertThat(function).as(row).isNotNull();
      assertThat(function.name()).isEqualTo(parts[0]);
      assertThat(function.minArguments()).as(row).isEqualTo(Integer.parseInt(parts[1]));
      assertThat(function.maxArguments())
          .as(row)
          .isEqualTo(parts[2].equals("*") ? MANY : Integer.parseInt(parts[2]));
    }
  }

  private static final Pattern CALL = Pattern.compile("`([A-Za-z][A-Za-z0-9_]*)\\(");

  /** The tables of docs/functions.md have all functions and aggregates, and no others. */
  @Test
  void isDocumentedWithItsCost() throws IOException {
    Set<String> documented = new TreeSet<>();
    Set<String> aggregates = new TreeSet<>();
    boolean isFunctions = false;
    for (String line : Files.readAllLines(Path.of("../docs/functions.md"))) {
      if (line.startsWith("| Function |")) {
        isFunctions = line.endsWith("| Cost |");
      } else if (!line.startsWith("|")) {
        isFunctions = false;
      }
      String[] cells = line.split("(?<!\\\\)\\|", -1);
      Matcher calls = CALL.matcher(cells.length > 1 ? cells[1] : "");
      while (calls.find()) {
        String name = calls.group(1).toUpperCase(Locale.ROOT);
        assertThat((isFunctions ? documented : aggregates).add(name)).as("once: " + name).isTrue();
        assertThat(!isFunctions || !cells[cells.length - 2].isBlank()).as("cost: " + name).isTrue();
      }
    }
    Set<String> spatial = new TreeSet<>(documented);
    spatial.removeIf(name -> !name.startsWith("ST_"));
    assertThat(spatial).hasSize(6); // of the module kv-spatial
    documented.removeAll(spatial);
    assertThat(documented).isEqualTo(new TreeSet<>(FunctionRegistry.names()));
    assertThat(aggregates)
        .containsExactly("AVG", "COUNT", "COUNTIF", "MAKELIST", "MAKESET", "MAX", "MIN", "SUM");
  }

  @Test
  void findsNamesInCapitalsOnly() {
    assertThat(FunctionRegistry.find("abs")).isNull();
    assertThat(FunctionRegistry.find("NO_SUCH")).isNull();
    assertThat(FunctionRegistry.find("COUNT")).as("an aggregate").isNull();
  }

  @Test
  void marksOnlyContextualFunctionsAsNonDeterministic() {
    TreeSet<String> varying = new TreeSet<>();
    TreeSet<String> constantInQuery = new TreeSet<>();
    for (String row : rows()) {
      if (!function(row).deterministic()) {
        (function(row).constantInQuery() ? constantInQuery : varying).add(function(row).name());
      }
    }
    assertThat(varying)
        .containsExactly(
            "DOCUMENTID", "GETCURRENTDATETIME", "GETCURRENTTICKS", "GETCURRENTTIMESTAMP", "RAND");
    assertThat(constantInQuery)
        .containsExactly(
            "GETCURRENTDATETIMESTATIC", "GETCURRENTTICKSSTATIC", "GETCURRENTTIMESTAMPSTATIC");
  }

  @Test
  void returnsTheDocumentIdOfTheRow() {
    Table.check(
        """
        DOCUMENTID({"id": "a"}) -> 42
        DOCUMENTID("a") -> undefined
        DOCUMENTID(undefined) -> undefined
        """);
  }

  /** Functions must not throw but at a limit, return a Java null or change their arguments. */
  @Test
  void throwsOnlyAtLimits() {
    List<JsonNode> values = new ArrayList<>();
    for (String text :
        """
        undefined,null,true,false,0,1,-1,2.5,1e300,-1e300,1e-300,NaN,Infinity,-Infinity
        9223372036854775807,-9223372036854775808,18446744073709551616,1e999999999,-1e-999999999
        "","a","aB","[","{}","(","a{2}","%","dd","yyyy","ns","i","2021-01-08T18:35:00.0000000Z"
        "0001-01-01T00:00:00","9999-12-31T23:59:59.9999999Z","\\ud800","  1 "
        [],[1],[null,1,"a",[1],{"a":1}],[2,1],["a","b"],{},{"a":1},{"a":{"b":[1]},"k":null}
        """
            .lines()
            .toList()) {
      for (JsonNode value : new JsonNode[] {Json.parse("[" + quoted(text) + "]")}) {
        value.forEach(
            v -> values.add(Table.value(Json.writeText(v).replaceAll("\"@(.*)\"", "$1"))));
      }
    }
    Random random = new Random(7);
    for (String row : rows()) {
      ScalarFunction function = function(row);
      int most = Math.min(function.maxArguments(), function.minArguments() + 2);
      for (int i = 0; i < 3000; i++) {
        int count = function.minArguments() + random.nextInt(most - function.minArguments() + 1);
        JsonNode[] arguments = new JsonNode[count];
        for (int k = 0; k < count; k++) {
          arguments[k] = values.get(random.nextInt(values.size()));
        }
        String before = Arrays.toString(arguments);
        JsonNode result;
        try {
          result = function.call(arguments, Table.context(false));
        } catch (FunctionLimitException e) {
          continue;
        }
        assertThat(result).as(row + before).isNotNull();
        assertThat(Arrays.toString(arguments)).isEqualTo(before);
        if (!result.isMissingNode()) {
          assertThat(Values.equal(Json.parse(Json.write(result)), result) || unusual(result))
              .as("%s%s = %s", row, before, result)
              .isTrue();
        }
      }
    }
  }

  /** Returns true if the text of a value contains NaN or an infinity, which JSON cannot express. */
  private static boolean unusual(JsonNode result) {
    return result.toString().contains("NaN") || result.toString().contains("Infinity");
  }

  private static String quoted(String list) {
    return list.replaceAll("(?<![\"\\w])(undefined|NaN|-?Infinity)(?![\"\\w])", "\"@$1\"");
  }
}
