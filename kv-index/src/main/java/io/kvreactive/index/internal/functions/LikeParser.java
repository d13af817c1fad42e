package io.kvreactive.index.internal.functions;

import static io.kvreactive.index.internal.worker.WorkerThread.checkpoint;

import io.kvreactive.index.internal.functions.LikeSegment.Place;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Parses a LIKE pattern into segments separated by {@code %}. */
final class LikeParser {
  private static final Place ANY = c -> true;

  private final String pattern;
  private final int escape;
  private final List<LikeSegment> segments = new ArrayList<>();
  private final StringBuilder prefix = new StringBuilder();
  private final List<Place> rest = new ArrayList<>();
  private int at;

  private LikeParser(String pattern, int escape) {
    this.pattern = pattern;
    this.escape = escape;
  }

  /**
   * Parses a pattern.
   *
   * @param escape the escape character, or −1
   * @return the segments, at least one; null if the escape character comes last
   */
  static @Nullable List<LikeSegment> parse(String pattern, int escape) {
    LikeParser parser = new LikeParser(pattern, escape);
    return parser.parse() ? parser.segments : null;
  }

  private boolean parse() {
    boolean closable = true;
    while (at < pattern.length()) {
      checkpoint();
      char c = pattern.charAt(at++);
      if (c == escape) {
        if (at == pattern.length()) {
          return false;
        }
        literal(pattern.charAt(at++));
      } else if (c == '%') {
        cut();
      } else if (c == '_') {
        rest.add(ANY);
      } else if (c == '[' && closable) {
        Place oneOf = characterClass();
        if (oneOf == null) {
          // no closing bracket here means none for later classes either
          closable = false;
          literal('[');
        } else {
          rest.add(oneOf);
        }
      } else {
        literal(c);
      }
    }
    cut();
    return true;
  }

  private void literal(char c) {
    if (rest.isEmpty()) {
      prefix.append(c);
    } else {
      rest.add(x -> x == c);
    }
  }

  private void cut() {
    segments.add(new LikeSegment(prefix.toString(), rest));
    prefix.setLength(0);
    rest.clear();
  }

  /** Parses a class. Returns null without consuming anything if the class is not closed. */
  private @Nullable Place characterClass() {
    int start = at;
    boolean inverted = at < pattern.length() && pattern.charAt(at) == '^';
    if (inverted) {
      at++;
    }
    LikeCharacterClass members = new LikeCharacterClass(inverted);
    boolean first = true;
    while (at < pattern.length()) {
      char c = pattern.charAt(at++);
      if (c == ']' && !first) {
        return members.merged();
      }
      first = false;
      if (c == escape && at < pattern.length()) {
        c = pattern.charAt(at++);
      }
      if (at + 1 < pattern.length() && pattern.charAt(at) == '-' && pattern.charAt(at + 1) != ']') {
        at++;
        char to = pattern.charAt(at++);
        if (to == escape && at < pattern.length()) {
          to = pattern.charAt(at++);
        }
        members.add(c, to);
      } else {
        members.add(c, c);
      }
    }
    at = start;
    return null;
  }
}
