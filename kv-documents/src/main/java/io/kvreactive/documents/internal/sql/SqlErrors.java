package io.kvreactive.documents.internal.sql;

import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.QueryException;
import io.kvreactive.documents.internal.sql.ast.Span;

/**
 * The errors of queries. The codes SC1001, SC2001 and SC2005 are those of Azure Cosmos DB; SC2000
 * stands for all other semantic errors, SC3000 for exceeded limits.
 */
public final class SqlErrors {
  public static final String SYNTAX = "SC1001";
  public static final String MEANING = "SC2000";
  public static final String IDENTIFIER = "SC2001";
  public static final String FUNCTION = "SC2005";
  public static final String LIMIT = "SC3000";

  private SqlErrors() {}

  static QueryException syntax(String near, Span span) {
    return syntax(near, "", span);
  }

  /**
   * Returns a syntax error.
   *
   * @param hint a sentence after a blank that says what to write, or an empty text
   */
  static QueryException syntax(String near, String hint, Span span) {
    return invalid(
        SYNTAX, "Syntax error, incorrect syntax near '" + shortened(near) + "'." + hint, span);
  }

  static QueryException unexpectedEnd(int length) {
    return invalid(SYNTAX, "Syntax error, the query ends too early.", new Span(length, length));
  }

  static QueryException unresolved(String name, Span span) {
    return invalid(IDENTIFIER, "Identifier '" + shortened(name) + "' could not be resolved.", span);
  }

  static QueryException limit(String message, Span span) {
    return new QueryException(
        DocumentErrorCode.LIMIT_EXCEEDED, LIMIT, message, span.start(), span.end());
  }

  /** Returns a semantic error of a syntactically valid query. */
  public static QueryException meaning(String message, Span span) {
    return invalid(MEANING, message, span);
  }

  static QueryException invalid(String detailCode, String message, Span span) {
    return new QueryException(
        DocumentErrorCode.INVALID_QUERY, detailCode, message, span.start(), span.end());
  }

  /**
   * Returns text of a query shortened for a message, so that hostile queries do not cause long
   * messages.
   */
  static String shortened(String text) {
    return text.length() <= 64 ? text : text.substring(0, 64) + "…";
  }
}
