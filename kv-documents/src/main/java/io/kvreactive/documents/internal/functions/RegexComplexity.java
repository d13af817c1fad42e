package io.kvreactive.documents.internal.functions;

/**
 * An estimate of the size of a regular expression with its repetitions expanded, and of the depth
 * of its groups. The estimate is made before compiling, which would take as much time, memory and
 * stack.
 */
final class RegexComplexity {
  static final int MAX_SIZE = 5_000;
  static final int MAX_DEPTH = 100;

  /** Maximum length of what is between the braces of a repetition: two numbers of four digits. */
  private static final int MAX_BOUNDS = 9;

  private final String pattern;
  private final long[] sizes = new long[MAX_DEPTH + 1];
  private int depth;
  private long lastAtom;
  private int at;

  private RegexComplexity(String pattern) {
    this.pattern = pattern;
  }

  static boolean isSmall(String pattern) {
    return pattern.length() <= MAX_SIZE && new RegexComplexity(pattern).measure();
  }

  private boolean measure() {
    while (at < pattern.length()) {
      char c = pattern.charAt(at++);
      switch (c) {
        case '(' -> {
          if (depth == MAX_DEPTH) {
            return false;
          }
          sizes[++depth] = 2;
        }
        case ')' -> {
          if (depth > 0) {
            long group = sizes[depth--];
            atom(group);
          }
        }
        case '[' -> {
          skipClass();
          atom(1);
        }
        case '\\' -> {
          skipEscape();
          atom(1);
        }
        case '{' -> repeat();
        case '*', '+', '?', '|' -> sizes[depth]++;
        default -> atom(1);
      }
      if (sizes[depth] > MAX_SIZE) {
        return false;
      }
    }
    return true;
  }

  private void atom(long size) {
    lastAtom = size;
    sizes[depth] += size;
  }

  /** Parses {n}, {n,} or {n,m}; anything else stands for its characters. */
  private void repeat() {
    String start = pattern.substring(at, Math.min(pattern.length(), at + MAX_BOUNDS + 1));
    int close = start.indexOf('}') < 0 ? -1 : at + start.indexOf('}');
    String[] bounds = close < 0 ? new String[0] : pattern.substring(at, close).split(",", -1);
    long times = 0;
    for (String bound : bounds) {
      if (bound.length() <= 4
          && !bound.isEmpty()
          && bound.chars().allMatch(c -> c <= '9' && c >= '0')) {
        times = Math.max(times, Integer.parseInt(bound));
      } else if (!bound.isEmpty()) {
        atom(1);
        return;
      }
    }
    if (times > 0) {
      at = close + 1;
      sizes[depth] += lastAtom * times;
      // a further repetition repeats everything before
      lastAtom *= times;
    } else {
      sizes[depth]++;
    }
  }

  private void skipClass() {
    int first = at;
    if (at < pattern.length() && pattern.charAt(at) == '^') {
      first = ++at;
    }
    while (at < pattern.length()) {
      char c = pattern.charAt(at++);
      if (c == '\\') {
        at++;
      } else if (c == ']' && at - 1 > first) {
        return;
      }
    }
  }

  private void skipEscape() {
    if (at >= pattern.length()) {
      return;
    }
    char c = pattern.charAt(at++);
    boolean named = c == 'p' || c == 'P' || c == 'x';
    if (c == 'Q') {
      int end = pattern.indexOf("\\E", at);
      int to = end < 0 ? pattern.length() : end;
      sizes[depth] += to - at;
      at = end < 0 ? to : end + 2;
    } else if (named && at < pattern.length() && pattern.charAt(at) == '{') {
      int end = pattern.indexOf('}', at);
      at = end < 0 ? pattern.length() : end + 1;
    }
  }
}
