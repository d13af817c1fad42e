package io.kvreactive.examples.catalog;

import io.kvreactive.documents.SqlQuery;
import java.util.List;
import java.util.Map;

/** The queries of the example, one for each kind of query. */
public final class Questions {
  /** The query that requires a composite index. */
  public static final SqlQuery LARGEST_OF_A_SECTION =
      SqlQuery.of(
          """
          SELECT TOP 5 c.id, c.size FROM c WHERE c.section = @section AND c.size > @size
          ORDER BY c.section ASC, c.size DESC\
          """,
          Map.of("section", "games", "size", 1 << 20));

  private Questions() {}

  /**
   * Returns the other queries.
   *
   * @param some a stored product, whose values the queries use
   */
  public static List<SqlQuery> about(Product some) {
    String facet = some.tags().isEmpty() ? "role" : some.tags().get(0).facet();
    String value = some.tags().isEmpty() ? "program" : some.tags().get(0).value();
    return List.of(
        SqlQuery.of(
            "SELECT c.id, c.section, c.size FROM c WHERE c.id = @id", Map.of("id", some.id())),
        SqlQuery.of(
            "SELECT TOP 5 c.id, c.size FROM c WHERE c.size BETWEEN 1000000 AND 1100000 ORDER BY"
                + " c.size"),
        SqlQuery.of(
            "SELECT VALUE COUNT(1) FROM c WHERE STARTSWITH(c.id, @start)", Map.of("start", "lib")),
        SqlQuery.of(
            "SELECT TOP 3 VALUE c.title FROM c WHERE c.section = @section AND c.title LIKE"
                + " '%chess%'",
            Map.of("section", some.section())),
        SqlQuery.of(
            """
            SELECT VALUE COUNT(1) FROM c WHERE EXISTS(
              SELECT VALUE 1 FROM t IN c.tags WHERE t.facet = @facet AND t["value"] = @value)\
            """,
            Map.of("facet", facet, "value", value)),
        SqlQuery.of(
            "SELECT TOP 5 c.id, n AS needs FROM c JOIN n IN c.needs WHERE c.section = @section",
            Map.of("section", some.section())),
        SqlQuery.of(
            "SELECT TOP 3 VALUE c.id FROM c WHERE ARRAY_CONTAINS(c.needs, @id)",
            Map.of("id", "libgtk-3-0")),
        SqlQuery.of(
            "SELECT c.section, COUNT(1) AS products, MAX(c.size) AS largest FROM c GROUP BY"
                + " c.section"),
        SqlQuery.of("SELECT DISTINCT VALUE c.section FROM c"),
        SqlQuery.of(
            "SELECT VALUE AVG(c.size) FROM c WHERE c.section = @section",
            Map.of("section", some.section())),
        SqlQuery.of(
            """
            SELECT c.id, ARRAY(SELECT VALUE t["value"] FROM t IN c.tags WHERE t.facet = @facet) AS tagged
            FROM c WHERE c.size > 500000000 OFFSET 2 LIMIT 3\
            """,
            Map.of("facet", facet)));
  }
}
