package io.kvreactive.documents.internal.sql;

import io.kvreactive.documents.QueryException;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.sql.ast.Span;
import io.kvreactive.documents.internal.sql.grammar.SqlLexer;
import io.kvreactive.documents.internal.sql.grammar.SqlParser;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import org.antlr.v4.runtime.BaseErrorListener;
import org.antlr.v4.runtime.Parser;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Recognizer;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.TokenStream;
import org.antlr.v4.runtime.atn.PredictionMode;
import org.jspecify.annotations.Nullable;

/** The parser of queries. */
public final class Sql {
  private Sql() {}

  /**
   * Returns the tree of a query, with names and parameters unresolved. Time and memory are
   * proportional to the text, within {@link SqlLimits}.
   *
   * @throws QueryException INVALID_QUERY (SC1001) at the first syntax error, LIMIT_EXCEEDED if the
   *     query is too long, too deep or too wide
   */
  public static Query parse(String text) {
    if (text.length() > SqlLimits.TEXT_BYTES
        || text.getBytes(StandardCharsets.UTF_8).length > SqlLimits.TEXT_BYTES) {
      throw SqlErrors.limit(
          "The text of a query can have at most " + SqlLimits.TEXT_BYTES + " bytes.",
          new Span(0, text.length()));
    }
    SqlParser parser = new SqlParser(SqlTokenizer.read(text));
    parser.removeErrorListeners();
    parser.addErrorListener(new Refusal(text.length()));
    parser.getInterpreter().setPredictionMode(PredictionMode.SLL);
    Query query = new QueryBuilder().query(parser.start().query());
    checkDepth(query);
    return query;
  }

  private record Level(Expr expr, int depth) {}

  /** Rejects trees that are too deep for recursive walks, without recursion. */
  private static void checkDepth(Query query) {
    Deque<Level> open = new ArrayDeque<>();
    ChildExpressions.of(query).forEach(part -> open.push(new Level(part, 1)));
    while (!open.isEmpty()) {
      Level next = open.pop();
      if (next.depth() > SqlLimits.TREE_DEPTH) {
        throw SqlErrors.limit(
            "An expression can be at most " + SqlLimits.TREE_DEPTH + " operators deep.",
            next.expr().span());
      }
      ChildExpressions.of(next.expr())
          .forEach(part -> open.push(new Level(part, next.depth() + 1)));
    }
  }

  /** An error listener that ends parsing at the first error. */
  private static final class Refusal extends BaseErrorListener {
    private final int length;

    Refusal(int length) {
      this.length = length;
    }

    /** Returns what to write instead of a form of other SQL dialects, or an empty text. */
    private static String hint(TokenStream tokens, Token token) {
      int index = token.getTokenIndex();
      Token previous = index == 0 ? null : tokens.get(index - 1);
      return switch (token.getType()) {
        case SqlLexer.LIMIT -> " Write OFFSET 0 LIMIT n, or SELECT TOP n.";
        case SqlLexer.STAR ->
            index >= 2 && tokens.get(index - 2).getText().equalsIgnoreCase("COUNT")
                ? " Write COUNT(1)."
                : "";
        case SqlLexer.EQUAL ->
            previous != null && previous.getType() == SqlLexer.EQUAL
                ? " Write = for equality."
                : "";
        case SqlLexer.IDENTIFIER ->
            token.getText().equalsIgnoreCase("IS") ? " Write IS_NULL(x) or IS_DEFINED(x)." : "";
        default -> "";
      };
    }

    @Override
    public void syntaxError(
        Recognizer<?, ?> recognizer,
        @Nullable Object offendingSymbol,
        int line,
        int column,
        String message,
        @Nullable RecognitionException cause) {
      if (offendingSymbol instanceof Token token && token.getType() != Token.EOF) {
        throw SqlErrors.syntax(
            token.getText(),
            hint(((Parser) recognizer).getTokenStream(), token),
            SqlTokenizer.span(token));
      }
      throw SqlErrors.unexpectedEnd(length);
    }
  }
}
