package io.kvreactive.documents.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathResolverTest {
  private static String text(DocumentPath path) {
    return path == null ? "-" : path.alias() + path.steps();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          c.a.b FROM c                                  ; c[a, b]
          c["x y"].b FROM c                             ; c[x y, b]
          c.a[0].b FROM c                               ; c[a, 0, b]
          c FROM c                                      ; c[]
          x.b FROM c.a[1] AS x                          ; x[a, 1, b]
          x.b FROM x IN c.a                             ; x[a, [], b]
          y.d FROM c JOIN x IN c.a JOIN y IN x.b.c      ; y[a, [], b, c, [], d]
          x.b FROM c JOIN x IN c.a JOIN y IN x.b        ; x[a, [], b]
          r.b FROM c JOIN ROOT.a AS r                   ; r[a, b]
          s.b FROM (SELECT c.b FROM c) AS s             ; -
          t.b FROM c JOIN s IN (SELECT VALUE [1]) JOIN t IN s.a ; -
          LENGTH(c.a) FROM c                            ; -
          c[c.a] FROM c                                 ; -
          c.a[-1] FROM c                                ; -
          c.a[0.5] FROM c                               ; -
          5 FROM c                                      ; -
          {a: 1}.a FROM c                               ; -
          """)
  void resolvesPathsOfExpressions(String text, String path) {
    Query query = Sql.parse("SELECT VALUE " + text);
    // bound by hand: a function need not exist to have no path
    Query bound = text.startsWith("LENGTH") ? query : QueryBinder.bind(query, Map.of());
    assertThat(text(PathResolver.of(bound).path(bound.select().items().get(0).expr())))
        .isEqualTo(path);
  }

  @Test
  void resolvesOuterSourcesInSubqueries() {
    Query bound =
        QueryBinder.bind(
            Sql.parse(
                "SELECT VALUE EXISTS(SELECT VALUE e.n FROM e IN c.events) FROM f JOIN f.b AS c"),
            Map.of());
    Query exists = ((Expr.Subquery) bound.select().items().get(0).expr()).query();
    Expr name = exists.select().items().get(0).expr();
    assertThat(text(PathResolver.of(bound).inside(exists).path(name)))
        .isEqualTo("e[b, events, [], n]");
    assertThat(PathResolver.of(bound).path(name)).isNull();
  }
}
