package io.kvreactive.documents.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.documents.QueryException;
import io.kvreactive.documents.internal.sql.ast.Query;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class SqlPrinterPropertyTest {
  @Provide
  Arbitrary<Query> queries() {
    return QueryArbitraries.queries();
  }

  /** Arbitrary sequences of words, signs and literals. */
  @Provide
  Arbitrary<String> nonsense() {
    return Arbitraries.of(
            "SELECT VALUE * TOP DISTINCT FROM c x IN JOIN WHERE GROUP ORDER BY ASC OFFSET LIMIT 1 2.5 'a' @p ( ) [ ] { } , : . ? ?? = != < >= + - ~ * / || | & ^ << NOT AND OR BETWEEN LIKE ESCAPE EXISTS ARRAY ABS true undefined #"
                .split(" "))
        .list()
        .ofMaxSize(30)
        .map(words -> "SELECT " + String.join(" ", words));
  }

  @Property(tries = 500)
  void parsesPrintedQueriesToTheSameTree(@ForAll("queries") Query query) {
    String text = SqlPrinter.print(query);
    Assume.that(text.split(" JOIN ", -1).length - 1 <= SqlLimits.JOINS);
    assertThat(Sql.parse(text)).as(text).isEqualTo(query);
    assertThat(SqlPrinter.print(Sql.parse(text))).isEqualTo(text);
  }

  @Property(tries = 2000)
  void rejectsRandomTextWithAPositionOrPrintsItsMeaning(@ForAll("nonsense") String text) {
    Query query;
    try {
      query = Sql.parse(text);
    } catch (QueryException e) {
      assertThat(e.start()).isBetween(0, e.end());
      assertThat(e.end()).isLessThanOrEqualTo(text.length());
      return;
    }
    assertThat(Sql.parse(SqlPrinter.print(query))).isEqualTo(query);
  }
}
