package io.kvreactive.documents.internal.path;

import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;

/** Reads the tokens of a path's text. */
final class PathCursor {
  private static final int SHOWN = 120;

  private final String text;
  private int position;

  PathCursor(String text) {
    this.text = text;
    if (text.length() > IndexPath.MAX_TEXT) {
      position = IndexPath.MAX_TEXT;
      throw failure("A path has at most " + IndexPath.MAX_TEXT + " characters.");
    }
  }

  boolean atEnd() {
    return position == text.length();
  }

  boolean at(char c) {
    return position < text.length() && text.charAt(position) == c;
  }

  boolean at(String token) {
    return text.startsWith(token, position);
  }

  boolean skip(String token) {
    if (!at(token)) {
      return false;
    }
    position += token.length();
    return true;
  }

  void skipBlanks() {
    while (at(' ') || at('\t')) {
      position++;
    }
  }

  void slash() {
    if (!skip("/")) {
      throw failure(position == 0 ? "A path starts with '/'." : "A '/' is expected here.");
    }
  }

  /** Checks that the text ends here. */
  void end(String reason) {
    if (!atEnd()) {
      throw failure(reason);
    }
  }

  /** Reads a label, bare or quoted. */
  MemberStep label() {
    if (at('"')) {
      return new MemberStep(quoted());
    }
    int start = position;
    boolean digitsOnly = true;
    while (position < text.length() && MemberStep.isBareChar(text.charAt(position))) {
      digitsOnly &= MemberStep.isDigit(text.charAt(position));
      position++;
    }
    if (position == start) {
      throw failure(
          atEnd() || at('/')
              ? "A label must not be empty."
              : "A label with other characters than letters, digits and _ must be in double quotes.");
    }
    if (!atEnd() && !at('/') && !at(',') && !at('}') && !at(' ') && !at('\t')) {
      throw failure(
          "A label with other characters than letters, digits and _ must be in double quotes.");
    }
    if (digitsOnly) {
      position = start;
      throw failure(
          "A number is no place of an array; quote it if it is the name of a member, use [] for the"
              + " elements of an array.");
    }
    return new MemberStep(text.substring(start, position));
  }

  /** Reads an ordinal such as {@code [12]}. */
  ElementStep ordinal() {
    int start = position++;
    int index = 0;
    int digits = 0;
    while (position < text.length() && MemberStep.isDigit(text.charAt(position)) && digits < 9) {
      index = index * 10 + text.charAt(position++) - '0';
      digits++;
    }
    if (digits == 0 || !skip("]")) {
      position = start;
      throw failure("An array step is [] or, in a tuple path, [n] with n < 1000000000.");
    }
    return new ElementStep(index);
  }

  private String quoted() {
    int start = position++;
    StringBuilder out = new StringBuilder();
    while (!atEnd()) {
      char c = text.charAt(position++);
      if (c == '"') {
        return out.toString();
      }
      out.append(c == '\\' ? escaped() : c);
    }
    position = start;
    throw failure("The closing double quote is missing.");
  }

  private char escaped() {
    char c = atEnd() ? 0 : text.charAt(position++);
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> unicode();
      default -> throw failure("An escape is one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX.");
    };
  }

  private char unicode() {
    int value = 0;
    for (int i = 0; i < 4; i++) {
      int digit = atEnd() ? -1 : hex(text.charAt(position));
      if (digit < 0) {
        throw failure("\\u takes four hexadecimal digits.");
      }
      value = value * 16 + digit;
      position++;
    }
    return (char) value;
  }

  private static int hex(char c) {
    // Character.digit would accept digits of other scripts too.
    return c < 128 ? Character.digit(c, 16) : -1;
  }

  DocumentException failure(String reason) {
    String shown = text.length() > SHOWN ? text.substring(0, SHOWN) + "…" : text;
    return new DocumentException(
        DocumentErrorCode.INVALID_PATH,
        "The indexing path '"
            + shown
            + "' could not be accepted, failed near position '"
            + position
            + "'. "
            + reason);
  }
}
