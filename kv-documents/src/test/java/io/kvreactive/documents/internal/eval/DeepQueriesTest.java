package io.kvreactive.documents.internal.eval;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.documents.internal.sql.QueryBinder;
import io.kvreactive.documents.internal.sql.Sql;
import io.kvreactive.documents.internal.sql.SqlPrinter;
import io.kvreactive.documents.internal.sql.ast.Query;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks that the deepest accepted queries run on half of the default stack. */
class DeepQueriesTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "(;);100",
        "[;];100",
        "{a:;};100",
        "NOT (;);100",
        "-(1 + ; * 2);98",
        "1 ? ;: 2;100",
        "1 ? 2 : ;'';100",
        "NOT (c.a AND NOT (c.b OR ;));50",
        "ARRAY(SELECT VALUE ;);50",
        "(SELECT VALUE ;);50",
        "EXISTS(SELECT ;);50",
        "(SELECT VALUE x FROM (SELECT VALUE ;) AS x);25",
        "(SELECT VALUE COUNT(;) FROM c);33",
        "c.x IN (;);100",
        "NOT ;'';298",
        "~;'';298",
        "'';.a;298",
        "'';[0];298",
        "'';+1;298",
      })
  void runsOnASmallStack(String before, String after, int times) throws InterruptedException {
    String inner = before.repeat(times) + "c.a" + after.repeat(times);
    String text = "SELECT VALUE " + inner + " FROM c WHERE " + inner;
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread thread = new Thread(null, () -> run(text), "small stack", 512 * 1024);
    thread.setUncaughtExceptionHandler((t, e) -> failure.set(e));
    thread.start();
    thread.join();
    assertThat(failure.get()).isNull();
  }

  private static void run(String text) {
    Query parsed = Sql.parse(text);
    assertThat(SqlPrinter.print(parsed)).isNotEmpty();
    assertThat(parsed.hashCode()).isEqualTo(Sql.parse(text).hashCode());
    Query bound = QueryBinder.bind(parsed, Map.of());
    assertThat(ConditionNormalizer.conjuncts(bound.where())).isNotNull();
    InMemoryQuery.run(bound, Answers.json("[{\"a\": 1}, {\"b\": 2}]"), Answers.CONTEXT);
  }
}
