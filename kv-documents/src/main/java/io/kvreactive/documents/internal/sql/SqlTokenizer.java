package io.kvreactive.documents.internal.sql;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import io.kvreactive.documents.internal.sql.ast.Span;
import io.kvreactive.documents.internal.sql.grammar.SqlLexer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.ListTokenSource;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.TokenStream;

/**
 * Splits a text into tokens and rejects input too expensive for the parser before it starts. The
 * limits are the number of tokens, and the nesting of brackets and {@code ?:}, for which the parser
 * recurses.
 */
final class SqlTokenizer {
  private SqlTokenizer() {}

  static TokenStream read(String text) {
    SqlLexer lexer = new SqlLexer(new Utf16CharStream(text));
    lexer.removeErrorListeners();
    List<Token> tokens = new ArrayList<>();
    Nesting nesting = new Nesting();
    Token token = lexer.nextToken();
    for (; token.getType() != Token.EOF; token = lexer.nextToken()) {
      // fails at once, because the text after an open quote could be scanned again for each quote
      if (token.getType() == SqlLexer.OTHER) {
        throw SqlErrors.syntax(token.getText(), span(token));
      }
      if (tokens.size() == SqlLimits.TOKENS) {
        throw SqlErrors.limit(
            "A query can have at most " + SqlLimits.TOKENS + " words and signs.", span(token));
      }
      nesting.next(token);
      tokens.add(token);
    }
    tokens.add(token);
    return new CommonTokenStream(new ListTokenSource(tokens)) {
      @Override
      public int LA(int offset) {
        checkpoint(); // the parser looks ahead before each step
        return super.LA(offset);
      }
    };
  }

  static Span span(Token token) {
    return new Span(token.getStartIndex(), Math.max(token.getStopIndex() + 1, 0));
  }

  /**
   * Computes the recursion depth of the parser. Each open bracket counts once, or twice if it
   * contains a subquery. Each "?" of an expression in a bracket counts as well; a comma or the next
   * clause starts another expression.
   */
  private static final class Nesting {
    private static final class Level {
      private int fixed;
      private int questions;
    }

    private final Deque<Level> levels = new ArrayDeque<>(List.of(new Level()));
    private int depth;
    private int previous = Token.INVALID_TYPE;

    void next(Token token) {
      Level level = levels.element();
      switch (token.getType()) {
        case SqlLexer.LPAREN, SqlLexer.LBRACKET, SqlLexer.LBRACE -> {
          levels.push(new Level());
          levels.element().fixed = 1;
          depth++;
        }
        case SqlLexer.RPAREN, SqlLexer.RBRACKET, SqlLexer.RBRACE -> {
          if (levels.size() > 1) {
            levels.pop();
            depth -= level.fixed + level.questions;
          }
        }
        case SqlLexer.SELECT -> {
          if (previous == SqlLexer.LPAREN) {
            level.fixed++;
            depth++;
          }
        }
        case SqlLexer.QUESTION -> {
          level.questions++;
          depth++;
        }
        case SqlLexer.COMMA -> newExpression(level);
        case SqlLexer.FROM, SqlLexer.WHERE, SqlLexer.GROUP, SqlLexer.ORDER -> {
          // after a point, the word is a member name
          if (previous != SqlLexer.DOT) {
            newExpression(level);
          }
        }
        default -> {}
      }
      previous = token.getType();
      if (depth > SqlLimits.NESTING) {
        throw SqlErrors.limit(
            "A query can be at most " + SqlLimits.NESTING + " levels deep.", span(token));
      }
    }

    private void newExpression(Level level) {
      depth -= level.questions;
      level.questions = 0;
    }
  }
}
