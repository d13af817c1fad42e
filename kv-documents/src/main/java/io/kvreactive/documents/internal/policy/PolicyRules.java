package io.kvreactive.documents.internal.policy;

import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.path.PathParser;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Validates and normalizes the parts of an indexing policy. */
public final class PolicyRules {
  public static final int MAX_PATHS = 1500;
  public static final int MIN_COMPOSITE = 2;
  public static final int MAX_COMPOSITE = 8;
  public static final int MAX_COMPOSITE_PATHS = 100;

  private static final String ROOT = "/*";

  private PolicyRules() {}

  /** The included and excluded paths in canonical form, without duplicates. */
  public record Paths(List<String> included, List<String> excluded) {
    public static final Paths NONE = new Paths(List.of(), List.of());
  }

  /**
   * Validates and normalizes paths. The root must be in one list, no path in both, and all paths
   * must be valid.
   */
  public static Paths paths(Collection<String> included, Collection<String> excluded) {
    if (!hasRoot(included) && !hasRoot(excluded)) {
      throw invalid(
          "The special mandatory indexing path '/' is not provided in any of the path type sets."
              + " Please provide this path in one of the sets.");
    }
    Canonical in = Canonical.of(included, text -> PathParser.included(text).text());
    Canonical out = Canonical.of(excluded, text -> PathParser.excluded(text).text());
    for (String path : in.texts) {
      if (out.texts.contains(path)) {
        throw invalid("The path '" + path + "' is in includedPaths and in excludedPaths.");
      }
    }
    in.throwFailure();
    out.throwFailure();
    return new Paths(List.copyOf(in.texts), List.copyOf(out.texts));
  }

  /** Checks the numbers of included and excluded paths. */
  public static void counts(List<String> included, List<String> excluded) {
    checkCount("includedPaths", included, "paths", MAX_PATHS);
    checkCount("excludedPaths", excluded, "paths", MAX_PATHS);
  }

  /** Checks the number of elements of a list, which are called {@code what}. */
  static void checkCount(String name, List<?> list, String what, int most) {
    if (list.size() > most) {
      throw invalid(
          "%s has %d %s, at most %d are allowed.".formatted(name, list.size(), what, most));
    }
  }

  /** Returns composite indexes with canonical paths, without redundant ones. */
  public static List<List<CompositePath>> composites(List<List<CompositePath>> composites) {
    return composites(composites, dropped -> {});
  }

  /**
   * Returns composite indexes with canonical paths, without redundant ones.
   *
   * @param dropped the callback for descriptions of the redundant indexes
   */
  static List<List<CompositePath>> composites(
      List<List<CompositePath>> composites, Consumer<String> dropped) {
    List<List<CompositePath>> kept = new ArrayList<>();
    Set<List<CompositePath>> seen = new HashSet<>();
    int total = 0;
    for (List<CompositePath> composite : composites) {
      List<CompositePath> canonical = composite(composite);
      if (!seen.contains(canonical) && seen.add(inverted(canonical))) {
        seen.add(canonical);
        kept.add(canonical);
        total += canonical.size();
      } else {
        dropped.accept(
            "The composite index %s is superfluous: one before it serves the same."
                .formatted(shown(canonical)));
      }
      if (total > MAX_COMPOSITE_PATHS) {
        throw invalid(
            "The composite indexes have more than " + MAX_COMPOSITE_PATHS + " paths together.");
      }
    }
    return List.copyOf(kept);
  }

  private static List<CompositePath> composite(List<CompositePath> composite) {
    if (composite.size() < MIN_COMPOSITE || composite.size() > MAX_COMPOSITE) {
      throw invalid(
          "A composite index has "
              + MIN_COMPOSITE
              + " to "
              + MAX_COMPOSITE
              + " paths, but one has "
              + composite.size()
              + ".");
    }
    List<CompositePath> canonical = new ArrayList<>(composite.size());
    Set<IndexPath> paths = new HashSet<>();
    for (CompositePath part : composite) {
      IndexPath path = PathParser.composite(part.path());
      if (!paths.add(path)) {
        throw invalid("A composite index has the path '" + path + "' twice.");
      }
      String order = part.order().toLowerCase(Locale.ROOT);
      if (!order.equals(CompositePath.ASCENDING) && !order.equals(CompositePath.DESCENDING)) {
        throw invalid(
            "The order of the path '"
                + path
                + "' must be ascending or descending, but is '"
                + AbbreviatedValue.text(part.order())
                + "'.");
      }
      canonical.add(new CompositePath(path.text(), order));
    }
    return List.copyOf(canonical);
  }

  private static String shown(List<CompositePath> composite) {
    return composite.stream()
        .map(part -> part.path() + " " + part.order())
        .collect(Collectors.joining(", ", "(", ")"));
  }

  private static List<CompositePath> inverted(List<CompositePath> composite) {
    return composite.stream()
        .map(
            part ->
                part.isDescending()
                    ? CompositePath.ascending(part.path())
                    : CompositePath.descending(part.path()))
        .toList();
  }

  private static boolean hasRoot(Collection<String> paths) {
    return paths.contains(ROOT) || paths.contains("/");
  }

  static DocumentException invalid(String message) {
    return new DocumentException(DocumentErrorCode.INVALID_POLICY, message);
  }

  /** The valid paths, and the first failure of the others, which is reported after other rules. */
  private record Canonical(Set<String> texts, @Nullable DocumentException failure) {
    static Canonical of(Collection<String> paths, Function<String, String> parser) {
      Set<String> texts = new LinkedHashSet<>();
      DocumentException failure = null;
      for (String path : paths) {
        try {
          texts.add(parser.apply(path));
        } catch (DocumentException e) {
          failure = failure == null ? e : failure;
        }
      }
      return new Canonical(texts, failure);
    }

    void throwFailure() {
      if (failure != null) {
        throw failure;
      }
    }
  }
}
