package io.kvreactive.documents.internal.eval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.QueryException;
import io.kvreactive.documents.internal.value.Values;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClausesTest {
  private static final String PEOPLE =
      """
      [{"id": "1", "name": "Ann", "age": 30, "city": "Oslo", "tags": ["a", "b"],
        "kids": [{"n": "x", "pets": ["p", "q"]}, {"n": "y"}]},
       {"id": "2", "name": "Bob", "age": 20, "city": "Rome", "tags": ["b"], "kids": []},
       {"id": "3", "name": "Cid", "age": 30, "city": "Oslo", "kids": "none"},
       {"id": "4", "name": "Dan", "age": null}]
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      textBlock =
          """
          SELECT VALUE 1 ; [1]
          SELECT 1, 2 AS x, 3 ; [{"$1":1,"x":2,"$2":3}]
          SELECT undefined, 3 ; [{"$2":3}]
          SELECT undefined ; [{}]
          SELECT VALUE undefined ; []
          SELECT VALUE 1 WHERE false ; []
          SELECT c.id FROM c WHERE c.age = 30 ; [{"id":"1"},{"id":"3"}]
          SELECT VALUE c.id FROM c WHERE c.age ; []
          SELECT VALUE c.id FROM c WHERE c.age > 25 OR c.age = null ; ["1","3","4"]
          SELECT VALUE people.id FROM people WHERE people.city = "Rome" ; ["2"]
          SELECT VALUE p.id FROM people p WHERE p.city = "Rome" ; ["2"]
          SELECT VALUE c.tags FROM c ; [["a","b"],["b"]]
          SELECT c.kids[0].n, c["tags"][1], c.age + 1 FROM c WHERE c.id = "1" ; [{"n":"x","$1":"b","$2":31}]
          SELECT VALUE tags FROM c.tags ; [["a","b"],["b"]]
          SELECT * FROM c.tags[0] ; ["a","b"]
          SELECT * FROM c["kids"][1].n ; ["y"]
          SELECT VALUE t FROM t IN c.tags ; ["a","b","b"]
          SELECT t FROM t IN c.tags ; [{"t":"a"},{"t":"b"},{"t":"b"}]
          SELECT c.id, t FROM c JOIN t IN c.tags ; [{"id":"1","t":"a"},{"id":"1","t":"b"},{"id":"2","t":"b"}]
          SELECT VALUE [c.id, k.n, p] FROM c JOIN k IN c.kids JOIN p IN k.pets ; [["1","x","p"],["1","x","q"]]
          SELECT VALUE [x, y] FROM c JOIN x IN c.tags JOIN y IN c.tags WHERE c.id = "1" AND x != y ; [["a","b"],["b","a"]]
          SELECT VALUE [c.id, kids] FROM c JOIN c.kids WHERE c.id = "3" ; [["3","none"]]
          SELECT VALUE k FROM c JOIN k IN ROOT.kids[0].pets ; ["p","q"]
          SELECT VALUE s.n FROM (SELECT c.name AS n FROM c WHERE c.age = 30) AS s ; ["Ann","Cid"]
          SELECT VALUE t FROM c JOIN (SELECT VALUE t FROM t IN c.tags WHERE t > "a") AS t ; ["b","b"]
          SELECT VALUE c.id FROM c JOIN (SELECT VALUE t FROM t IN c.tags) ; ["1","1","2"]
          SELECT VALUE u.v FROM c JOIN u IN (SELECT VALUE [{v: 1}, {v: c.id}, 5]) WHERE c.id = "2" ; [1,"2"]
          SELECT VALUE x FROM x IN (SELECT VALUE c.tags FROM c) ; ["a","b","b"]
          SELECT DISTINCT VALUE t FROM t IN c.tags ; ["a","b"]
          SELECT DISTINCT c.city FROM c ; [{"city":"Oslo"},{"city":"Rome"},{}]
          SELECT DISTINCT VALUE v FROM v IN c.none ; []
          SELECT VALUE c.id FROM c ORDER BY c.age ; ["4","2","1","3"]
          SELECT VALUE c.id FROM c ORDER BY c.age DESC ; ["1","3","2","4"]
          SELECT VALUE c.id FROM c ORDER BY c.city DESC, c.name DESC ; ["2","3","1","4"]
          SELECT VALUE c.id FROM c ORDER BY c.tags ; ["3","4","1","2"]
          SELECT DISTINCT VALUE c.city FROM c ORDER BY c.name DESC ; ["Oslo","Rome"]
          SELECT TOP 2 VALUE c.id FROM c ; ["1","2"]
          SELECT TOP 0 VALUE c.id FROM c ; []
          SELECT VALUE c.id FROM c OFFSET 1 LIMIT 2 ; ["2","3"]
          SELECT VALUE c.id FROM c ORDER BY c.id DESC OFFSET 3 LIMIT 5 ; ["1"]
          SELECT VALUE c.id FROM c OFFSET 9 LIMIT 5 ; []
          SELECT DISTINCT TOP 1 VALUE c.age FROM c ORDER BY c.id DESC ; [null]
          """)
  void evaluatesClauses(String query, String rows) {
    assertThat(Answers.text(query, PEOPLE)).isEqualTo(rows);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      textBlock =
          """
          SELECT VALUE COUNT(1) FROM c ; [4]
          SELECT VALUE COUNT(c.age) FROM c ; [4]
          SELECT VALUE COUNT(c.city) FROM c ; [3]
          SELECT COUNT(1) FROM c WHERE false ; [{"$1":0}]
          SELECT VALUE SUM(c.age) FROM c ; []
          SELECT SUM(c.age) AS s FROM c WHERE c.age > 0 ; [{"s":80}]
          SELECT VALUE SUM(c.none) FROM c ; [0]
          SELECT VALUE AVG(c.age) FROM c WHERE c.age > 0 ; [26.666666666666668]
          SELECT VALUE AVG(c.none) FROM c ; []
          SELECT MIN(c.age) AS a, MAX(c.age) AS b FROM c ; [{"a":null,"b":30}]
          SELECT VALUE MAX(c.tags) FROM c ; []
          SELECT VALUE MAX(c.none) FROM c ; []
          SELECT MIN(c.name) AS a, MAX(c.kids[0].n) AS b FROM c ; [{"a":"Ann","b":"x"}]
          SELECT VALUE {n: COUNT(1), twice: SUM(c.age) * 2} FROM c WHERE c.age > 0 ; [{"n":3,"twice":160}]
          SELECT VALUE COUNT(1) ; [1]
          SELECT VALUE COUNT(t) FROM c JOIN t IN c.tags ; [3]
          SELECT c.city, COUNT(1) AS n FROM c GROUP BY c.city ; [{"city":"Oslo","n":2},{"city":"Rome","n":1},{"n":1}]
          SELECT c.age, c.city FROM c GROUP BY c.city, c.age ; [{"age":30,"city":"Oslo"},{"age":20,"city":"Rome"},{"age":null}]
          SELECT VALUE [c.city, c.age + 1, 7] FROM c GROUP BY c.age, c.city ; [["Oslo",31,7],["Rome",21,7],[7]]
          SELECT VALUE c.kids.n FROM c GROUP BY c.kids ; []
          SELECT VALUE x FROM c JOIN x IN c.tags GROUP BY x ; ["a","b"]
          SELECT k.n AS n, COUNT(1) AS t FROM c JOIN k IN c.kids GROUP BY k ; [{"n":"x","t":1},{"n":"y","t":1}]
          SELECT c.tags[0] AS first, COUNT(1) AS t FROM c GROUP BY c.tags ; [{"first":"a","t":1},{"first":"b","t":1},{"t":2}]
          SELECT VALUE [LENGTH(k.n), k.pets[1]] FROM c JOIN k IN c.kids GROUP BY k ; [[1,"q"],[1]]
          SELECT VALUE [s.city, COUNT(1)] FROM (SELECT VALUE {"city": c.city} FROM c) AS s GROUP BY s ; [["Oslo",2],["Rome",1],[1]]
          SELECT VALUE ARRAY(SELECT VALUE x || "!" FROM x IN c.tags) FROM c GROUP BY c.tags ; [["a!","b!"],["b!"],[]]
          SELECT VALUE ARRAY(SELECT VALUE c FROM c IN c.tags WHERE c != "a") FROM c GROUP BY c.tags ; [["b"],["b"],[]]
          SELECT VALUE EXISTS(SELECT 1 FROM x IN c.tags WHERE x = c.name) FROM c GROUP BY c.tags, c.name ; [false,false,false,false]
          SELECT VALUE [c.age, (SELECT VALUE COUNT(1) FROM x IN c.tags)] FROM c GROUP BY c.age, c.tags ; [[30,2],[20,1],[30,0],[null,0]]
          SELECT VALUE COUNT(1) FROM c ORDER BY c.age DESC ; [4]
          SELECT VALUE [COUNT(1), MAX(c.age)] FROM c WHERE c.city = "Oslo" ORDER BY c.id ; [[2,30]]
          SELECT DISTINCT VALUE COUNT(1) FROM c GROUP BY c.city ; [2,1]
          SELECT TOP 1 VALUE COUNT(1) FROM c GROUP BY c.city ; [2]
          SELECT VALUE MAX(c.age) + MIN(c.age) FROM c WHERE c.age > 0 ; [50]
          SELECT VALUE COUNT(1) FROM c GROUP BY 1 ; [4]
          SELECT VALUE COUNT(1) FROM c WHERE false GROUP BY c.a ; []
          SELECT (c.age > 25) AS old, COUNT(1) AS n FROM c GROUP BY c.age > 25 ; [{"old":true,"n":2},{"old":false,"n":1},{"n":1}]
          """)
  void evaluatesAggregates(String query, String rows) {
    assertThat(Answers.text(query, PEOPLE)).isEqualTo(rows);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      textBlock =
          """
          SELECT VALUE c.id FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t = "a") ; ["1"]
          SELECT VALUE c.id FROM c WHERE NOT EXISTS(SELECT 1 FROM t IN c.tags) ; ["3","4"]
          SELECT VALUE EXISTS(SELECT VALUE undefined) ; [false]
          SELECT VALUE EXISTS(SELECT undefined) ; [true]
          SELECT c.id, ARRAY(SELECT VALUE k.n FROM k IN c.kids) AS kids FROM c ; [{"id":"1","kids":["x","y"]},{"id":"2","kids":[]},{"id":"3","kids":[]},{"id":"4","kids":[]}]
          SELECT VALUE ARRAY(SELECT VALUE t FROM t IN c.tags ORDER BY t DESC) FROM c WHERE c.id = "1" ; [["b","a"]]
          SELECT VALUE (SELECT VALUE COUNT(1) FROM t IN c.tags) FROM c ; [2,1,0,0]
          SELECT VALUE (SELECT VALUE c.name) FROM c WHERE c.id = "1" ; ["Ann"]
          SELECT c.id, (SELECT VALUE t FROM t IN c.none) AS t FROM c WHERE c.id = "1" ; [{"id":"1"}]
          SELECT VALUE (SELECT VALUE (SELECT VALUE c.name || k.n FROM k IN c.kids WHERE k.n = "y")) FROM c WHERE c.id = "1" ; ["Anny"]
          SELECT VALUE n FROM c JOIN (SELECT VALUE COUNT(1) FROM t IN c.tags) AS n WHERE n > 0 ; [2,1]
          SELECT VALUE (SELECT TOP 1 VALUE c FROM c IN c.kids) FROM c WHERE c.id = "1" ; [{"n":"x","pets":["p","q"]}]
          SELECT VALUE FIRST(SELECT VALUE t FROM t IN c.tags) FROM c ; ["a","b"]
          SELECT VALUE LAST(SELECT VALUE t FROM t IN c.tags) FROM c ; ["b","b"]
          SELECT VALUE ALL(SELECT VALUE t > "a" FROM t IN c.tags) FROM c ; [false,true,true,true]
          SELECT VALUE ALL(SELECT VALUE v FROM v IN c.kids) FROM c WHERE c.id = "1" ; []
          SELECT COUNT(1) AS n, (SELECT VALUE COUNT(1)) AS one FROM c ; [{"n":4,"one":1}]
          """)
  void evaluatesSubqueries(String query, String rows) {
    assertThat(Answers.text(query, PEOPLE)).isEqualTo(rows);
  }

  @Test
  void rejectsAScalarSubqueryOfSeveralRows() {
    String query = "SELECT VALUE 1 + (SELECT VALUE t FROM t IN c.tags) FROM c";
    assertThatThrownBy(() -> Answers.of(query, PEOPLE))
        .isInstanceOfSatisfying(
            QueryException.class,
            e -> assertThat(query.substring(e.start(), e.end())).startsWith("(SELECT VALUE t"))
        .hasMessage(
            "INVALID_QUERY: The cardinality of a scalar subquery result set cannot be greater than"
                + " one.");
    // fails at the first row with two values
    assertThat(Answers.text(query, "[{\"tags\": [5]}]")).isEqualTo("[6]");
  }

  @Test
  void substitutesParameters() {
    Map<String, JsonNode> parameters =
        Map.of(
            "age", Values.number(30),
            "@key", Values.text("city"),
            "n", Values.number(1),
            "unused", Values.NULL);
    assertThat(
            Answers.of("SELECT TOP @n VALUE c[@key] FROM c WHERE c.age = @age", PEOPLE, parameters))
        .containsExactly(Values.text("Oslo"));
  }

  @Test
  void comparesNumbersByValueInGroupsAndDistinct() {
    String items =
        "[{\"a\": 1}, {\"a\": 1.0}, {\"a\": {\"x\": 1, \"y\": 2}}, {\"a\": {\"y\": 2, \"x\": 1}}]";
    assertThat(Answers.of("SELECT DISTINCT c.a FROM c", items)).hasSize(2);
    assertThat(Answers.text("SELECT VALUE COUNT(1) FROM c GROUP BY c.a", items)).isEqualTo("[2,2]");
  }

  @Test
  void ordersTypes() {
    List<JsonNode> rows =
        Answers.of(
            "SELECT VALUE c.id FROM c ORDER BY c.v",
            """
            [{"id": 8, "v": {"a": 1}}, {"id": 7, "v": []}, {"id": 6, "v": "a"}, {"id": 5, "v": "B"},
             {"id": 4, "v": -1.5}, {"id": 3, "v": true}, {"id": 2, "v": false}, {"id": 1, "v": null},
             {"id": 0}]
            """);
    assertThat(rows.toString()).isEqualTo("[0, 1, 2, 3, 4, 5, 6, 7, 8]");
  }
}
