package io.kvreactive.documents.internal.path;

import java.util.ArrayList;
import java.util.List;

/**
 * Parses the paths of policies. Every failure is an {@code DocumentException} with code
 * INVALID_PATH and the position, counted from 0.
 */
public final class PathParser {
  private static final int MAX_CANONICAL = IndexPath.MAX_TEXT - 2;

  private PathParser() {}

  /** Parses a path of {@code includedPaths}: {@link #rule} or {@link #tuple}. */
  public static IncludedPath included(String text) {
    return isTuple(text) ? tuple(text) : rule(text);
  }

  /** Parses a path of {@code excludedPaths}: a rule, never a tuple. */
  public static PathRule excluded(String text) {
    if (isTuple(text)) {
      throw new PathCursor(text).failure("A tuple may stand in includedPaths only.");
    }
    return rule(text);
  }

  /**
   * Parses a path with the terminal {@code /?} or {@code /*}; {@code /} is equivalent to {@code
   * /*}.
   */
  public static PathRule rule(String text) {
    PathCursor in = new PathCursor(text);
    if (text.equals("/")) {
      return PathRule.ROOT;
    }
    List<Step> steps = new ArrayList<>();
    while (true) {
      if (in.atEnd() && !steps.isEmpty()) {
        throw in.failure("A path ends with /? or /*.");
      }
      in.slash();
      if (in.at('?') && steps.isEmpty()) {
        throw in.failure("The item itself is no scalar; the root is /*.");
      }
      boolean subtree = in.skip("*");
      if (subtree || in.skip("?")) {
        in.end("Only the last segment can be * or ?.");
        return new PathRule(path(in, steps), subtree);
      }
      steps.add(stepOrElements(in, steps.size()));
    }
  }

  /** Parses a path of a composite index, without a terminal, since {@code /?} is implied. */
  public static IndexPath composite(String text) {
    PathCursor in = new PathCursor(text);
    List<Step> steps = new ArrayList<>();
    do {
      in.slash();
      if (in.at('*') || in.at('?')) {
        throw in.failure("A path of a composite index has no /? or /* at its end.");
      }
      if (steps.isEmpty() && in.at('[')) {
        throw in.failure("The first step is a label, since an item is no array.");
      }
      steps.add(stepOrElements(in, steps.size()));
    } while (!in.atEnd());
    return path(in, steps);
  }

  /** Parses a path of labels only: of unique keys, partition keys, vectors and full text. */
  public static IndexPath property(String text) {
    PathCursor in = new PathCursor(text);
    List<Step> steps = new ArrayList<>();
    do {
      in.slash();
      if (in.at('*') || in.at('?') || in.at('[')) {
        throw in.failure("Such a path has labels only, no [], /? or /*.");
      }
      checkDepth(in, steps.size());
      steps.add(in.label());
    } while (!in.atEnd());
    return path(in, steps);
  }

  /** Parses a tuple path, such as {@code /events/[]/{name, category}/?}. */
  public static TuplePath tuple(String text) {
    return TupleParser.parse(new PathCursor(text));
  }

  static void checkDepth(PathCursor in, int steps) {
    if (steps == IndexPath.MAX_STEPS) {
      throw in.failure("A path has at most " + IndexPath.MAX_STEPS + " steps.");
    }
  }

  private static Step stepOrElements(PathCursor in, int before) {
    checkDepth(in, before);
    if (in.skip("[]")) {
      return WildcardStep.ELEMENTS;
    }
    if (in.at('[')) {
      throw in.failure("The elements of an array are addressed together, as [].");
    }
    return in.label();
  }

  /**
   * Creates a path and checks its length. Quoting may make the canonical text longer than the given
   * text.
   */
  static IndexPath path(PathCursor in, List<Step> steps) {
    IndexPath path = new IndexPath(steps);
    if (path.text().length() > MAX_CANONICAL) {
      throw in.failure(
          "The canonical form of a path has at most " + MAX_CANONICAL + " characters.");
    }
    return path;
  }

  /** Returns true if the text has a brace outside of quoted labels. */
  private static boolean isTuple(String text) {
    boolean quoted = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && quoted) {
        i++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == '{' && !quoted) {
        return true;
      }
    }
    return false;
  }
}
