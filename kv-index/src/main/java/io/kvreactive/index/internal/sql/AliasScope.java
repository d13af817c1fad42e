package io.kvreactive.index.internal.sql;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The aliases that can be used at some place of a query: its own, and those of queries around. */
final class AliasScope {
  private final Set<String> aliases = new HashSet<>();
  private final @Nullable AliasScope outer;

  AliasScope(@Nullable AliasScope outer) {
    this.outer = outer;
  }

  boolean add(String alias) {
    return aliases.add(alias);
  }

  boolean hasOwn(String alias) {
    return aliases.contains(alias);
  }

  boolean has(String alias) {
    return hasOwn(alias) || (outer != null && outer.has(alias));
  }
}
