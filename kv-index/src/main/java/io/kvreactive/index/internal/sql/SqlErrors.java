package io.kvreactive.index.internal.sql;

import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.QueryException;
import io.kvreactive.index.internal.sql.ast.Span;

/**
 * What queries are refused with. The codes SC1001, SC2001 and SC2005 are those of Azure Cosmos DB;
 * SC2000 stands for whatever else makes no sense, SC3000 for what is too large.
 */
public final class SqlErrors {
  public static final String SYNTAX = "SC1001";
  public static final String MEANING = "SC2000";
  public static final String IDENTIFIER = "SC2001";
  public static final String FUNCTION = "SC2005";
  public static final String LIMIT = "SC3000";

  private SqlErrors() {}

  static QueryException syntax(String near, Span span) {
    return invalid(SYNTAX, "Syntax error, incorrect syntax near '" + shortened(near) + "'.", span);
  }

  static QueryException unexpectedEnd(int length) {
    return invalid(SYNTAX, "Syntax error, the query ends too early.", new Span(length, length));
  }

  static QueryException unresolved(String name, Span span) {
    return invalid(IDENTIFIER, "Identifier '" + shortened(name) + "' could not be resolved.", span);
  }

  static QueryException limit(String message, Span span) {
    return new QueryException(
        IndexErrorCode.LIMIT_EXCEEDED, LIMIT, message, span.start(), span.end());
  }

  /** Of what is said well but makes no sense. */
  public static QueryException meaning(String message, Span span) {
    return invalid(MEANING, message, span);
  }

  static QueryException invalid(String detailCode, String message, Span span) {
    return new QueryException(
        IndexErrorCode.INVALID_QUERY, detailCode, message, span.start(), span.end());
  }

  /** Text of a query as it goes into a message: a hostile one does not make messages long. */
  static String shortened(String text) {
    return text.length() <= 64 ? text : text.substring(0, 64) + "…";
  }
}
