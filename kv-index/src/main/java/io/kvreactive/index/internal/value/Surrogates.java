package io.kvreactive.index.internal.value;

/** Texts may hold halves of surrogate pairs, such as what LEFT cuts; UTF-8 may not. */
final class Surrogates {
  private Surrogates() {}

  /** JSON text with every lone surrogate escaped; they can only stand inside of strings. */
  static String escape(String json) {
    int lone = nextLone(json, 0);
    if (lone == json.length()) {
      return json;
    }
    StringBuilder escaped = new StringBuilder(json.length() + 16);
    int from = 0;
    while (lone < json.length()) {
      escaped.append(json, from, lone).append("\\u").append(Integer.toHexString(json.charAt(lone)));
      from = lone + 1;
      lone = nextLone(json, from);
    }
    return escaped.append(json, from, json.length()).toString();
  }

  private static int nextLone(String text, int from) {
    int i = from;
    while (i < text.length()) {
      char c = text.charAt(i);
      if (!Character.isSurrogate(c)) {
        i++;
      } else if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i += 2;
      } else {
        return i;
      }
    }
    return text.length();
  }
}
