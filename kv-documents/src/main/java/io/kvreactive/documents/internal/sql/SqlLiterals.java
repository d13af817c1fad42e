package io.kvreactive.documents.internal.sql;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import io.kvreactive.documents.internal.sql.ast.Span;
import io.kvreactive.documents.internal.sql.grammar.SqlLexer;
import io.kvreactive.documents.internal.value.Values;
import java.math.BigInteger;
import org.antlr.v4.runtime.Token;
import org.jspecify.annotations.Nullable;

/** Parses literals: numbers, texts and the words that are values. */
final class SqlLiterals {
  private SqlLiterals() {}

  /** Returns a number: 64-bit integers are exact, all others are doubles. */
  static JsonNode number(Token token, boolean negative) {
    String text = token.getText();
    if (token.getType() == SqlLexer.DECIMAL) {
      double value = Double.parseDouble(text);
      return Values.number(negative ? -value : value);
    }
    BigInteger value =
        token.getType() == SqlLexer.HEX
            ? new BigInteger(shortEnough(token, text.substring(2)), 16)
            : new BigInteger(shortEnough(token, text));
    value = negative ? value.negate() : value;
    return value.bitLength() < Long.SIZE
        ? Values.number(value.longValue())
        : Values.number(value.doubleValue());
  }

  /**
   * Limits the digits, since parsing takes quadratic time; any longer number is Infinity as a
   * double.
   */
  private static String shortEnough(Token token, String digits) {
    if (digits.length() > 400) {
      throw SqlErrors.limit("A number can have at most 400 digits.", SqlTokenizer.span(token));
    }
    return digits;
  }

  /** Returns the value of a word, or null for other words; letter case is significant. */
  static @Nullable JsonNode word(String name) {
    return switch (name) {
      case "true" -> Values.TRUE;
      case "false" -> Values.FALSE;
      case "null" -> Values.NULL;
      case "undefined" -> Values.UNDEFINED;
      case "NaN" -> DoubleNode.valueOf(Double.NaN);
      case "Infinity" -> DoubleNode.valueOf(Double.POSITIVE_INFINITY);
      default -> null;
    };
  }

  /** Returns the text between the quotes; escapes are those of JSON and {@code \'}. */
  static String text(Token token) {
    String text = token.getText();
    StringBuilder result = new StringBuilder(text.length());
    for (int i = 1; i < text.length() - 1; i++) {
      char c = text.charAt(i);
      if (c != '\\') {
        result.append(c);
        continue;
      }
      c = text.charAt(++i);
      switch (c) {
        case '"', '\'', '\\', '/' -> result.append(c);
        case 'b' -> result.append('\b');
        case 'f' -> result.append('\f');
        case 'n' -> result.append('\n');
        case 'r' -> result.append('\r');
        case 't' -> result.append('\t');
        case 'u' -> {
          result.append(unicode(token, text, i));
          i += 4;
        }
        default -> throw escape(token, i - 1, i + 1);
      }
    }
    return result.toString();
  }

  private static char unicode(Token token, String text, int index) {
    int value = 0;
    for (int i = index + 1; i <= index + 4; i++) {
      int digit = i < text.length() - 1 && text.charAt(i) < 128 ? digit(text.charAt(i)) : -1;
      if (digit < 0) {
        throw escape(token, index - 1, Math.min(i + 1, text.length()));
      }
      value = value << 4 | digit;
    }
    return (char) value;
  }

  private static int digit(char c) {
    return Character.digit(c, 16);
  }

  private static RuntimeException escape(Token token, int from, int to) {
    int start = token.getStartIndex();
    return SqlErrors.syntax(
        token.getText().substring(from, to), new Span(start + from, start + to));
  }
}
