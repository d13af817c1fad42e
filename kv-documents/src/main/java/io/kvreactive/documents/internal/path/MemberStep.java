package io.kvreactive.documents.internal.path;

/** The step to a member of an object. Names are case-sensitive and may be any text, even empty. */
public record MemberStep(String name) implements Step {
  /**
   * Returns the name, quoted unless it consists of ASCII letters, digits and _ and is not a number.
   */
  @Override
  public String text() {
    return isBare(name) ? name : quote(name);
  }

  static boolean isBareChar(char c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || isDigit(c);
  }

  static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /**
   * Returns true if the name needs no quotes. A number must be quoted to distinguish it from an
   * array position.
   */
  private static boolean isBare(String name) {
    boolean digitsOnly = true;
    for (int i = 0; i < name.length(); i++) {
      if (!isBareChar(name.charAt(i))) {
        return false;
      }
      digitsOnly &= isDigit(name.charAt(i));
    }
    return !digitsOnly;
  }

  private static String quote(String name) {
    StringBuilder out = new StringBuilder(name.length() + 2).append('"');
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (Character.isHighSurrogate(c)
          && i + 1 < name.length()
          && Character.isLowSurrogate(name.charAt(i + 1))) {
        out.append(c).append(name.charAt(++i));
      } else if (c < ' ' || Character.isSurrogate(c)) {
        // A lone surrogate would be lost in UTF-8, so that two paths would become one.
        out.append("\\u")
            .append(Character.forDigit(c >> 12, 16))
            .append(Character.forDigit(c >> 8 & 15, 16))
            .append(Character.forDigit(c >> 4 & 15, 16))
            .append(Character.forDigit(c & 15, 16));
      } else {
        out.append(c);
      }
    }
    return out.append('"').toString();
  }
}
