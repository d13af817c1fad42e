package io.kvreactive.index.spi;

import io.kvreactive.index.CollectionDefinition;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The extensions that are on the class path of kv-index, in the order they were found in. */
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

  /** Returns whether a function is one of an extension. */
  public static boolean hasFunction(String name) {
    return FUNCTIONS.contains(name);
  }

  /** Returns the indexes of all extensions that a definition declares. */
  public static List<TermIndex> indexes(CollectionDefinition definition) {
    return LOADED.stream().flatMap(extension -> extension.indexes(definition).stream()).toList();
  }

  /** Returns whether an extension makes indexes of that member of a policy. */
  public static boolean support(String policyMember) {
    return LOADED.stream().anyMatch(extension -> extension.supports(policyMember));
  }

  /** Returns the extension that makes neighbour indexes of a type, or null if none does. */
  public static @Nullable IndexExtension neighborIndexes(String type) {
    return LOADED.stream()
        .filter(extension -> extension.supportsNeighborIndex(type))
        .findFirst()
        .orElse(null);
  }
}
