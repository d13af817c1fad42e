package io.kvreactive.index.internal.sql;

import io.kvreactive.index.internal.sql.ast.Span;
import io.kvreactive.index.internal.sql.grammar.SqlLexer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.ListTokenSource;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.TokenStream;

/**
 * Cuts a text into tokens and refuses what would cost a parser too much, before it starts: too many
 * tokens, or brackets and {@code ?:}, which are what it recurses on, too deep inside of each other.
 */
final class Tokens {
  private Tokens() {}

  static TokenStream read(String text) {
    SqlLexer lexer = new SqlLexer(new TextStream(text));
    lexer.removeErrorListeners();
    List<Token> tokens = new ArrayList<>();
    Nesting nesting = new Nesting();
    Token token = lexer.nextToken();
    for (; token.getType() != Token.EOF; token = lexer.nextToken()) {
      // at once, because what follows an open quote could be scanned again for each quote in it
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
    return new CommonTokenStream(new ListTokenSource(tokens));
  }

  static Span span(Token token) {
    return new Span(token.getStartIndex(), Math.max(token.getStopIndex() + 1, 0));
  }

  /** How deep the parser will be: each open bracket, and each "?" since the last comma in one. */
  private static final class Nesting {
    private final Deque<Integer> questionsOutside = new ArrayDeque<>();
    private int questions;
    private int depth;

    void next(Token token) {
      switch (token.getType()) {
        case SqlLexer.LPAREN, SqlLexer.LBRACKET, SqlLexer.LBRACE -> {
          questionsOutside.push(questions);
          questions = 0;
          deeper(token);
        }
        case SqlLexer.RPAREN, SqlLexer.RBRACKET, SqlLexer.RBRACE -> {
          depth -= questions;
          if (!questionsOutside.isEmpty()) {
            questions = questionsOutside.pop();
            depth--;
          }
        }
        case SqlLexer.COMMA -> {
          depth -= questions;
          questions = 0;
        }
        case SqlLexer.QUESTION -> {
          questions++;
          deeper(token);
        }
        default -> {}
      }
    }

    private void deeper(Token token) {
      if (++depth > SqlLimits.NESTING) {
        throw SqlErrors.limit(
            "A query can be at most " + SqlLimits.NESTING + " levels deep.", span(token));
      }
    }
  }
}
