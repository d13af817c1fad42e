package io.kvreactive.documents.spi;

import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The extensions on the class path of kv-documents, in the order in which they were found. */
public final class IndexExtensions {
  private static final List<IndexExtension> LOADED =
      ServiceLoader.load(IndexExtension.class, IndexExtensions.class.getClassLoader()).stream()
          .map(ServiceLoader.Provider::get)
          .toList();

  private static final Set<String> FUNCTIONS =
      functions().stream().map(ScalarFunction::name).collect(Collectors.toUnmodifiableSet());

  private IndexExtensions() {}

  /** Returns the functions of all extensions. */
  public static List<ScalarFunction> functions() {
    return LOADED.stream().flatMap(extension -> extension.functions().stream()).toList();
  }

  /** Returns true if an extension provides a function of this name. */
  public static boolean hasFunction(String name) {
    return FUNCTIONS.contains(name);
  }

  /** Returns all extensions. */
  static List<IndexExtension> all() {
    return LOADED;
  }

  /** Returns true if an extension provides the indexes of a policy member. */
  public static boolean support(String policyMember) {
    return LOADED.stream().anyMatch(extension -> extension.supports(policyMember));
  }

  /** Returns the extension that provides neighbor indexes of a type, or null if there is none. */
  public static @Nullable IndexExtension neighborIndexes(String type) {
    return LOADED.stream()
        .filter(extension -> extension.supportsNeighborIndex(type))
        .findFirst()
        .orElse(null);
  }
}
