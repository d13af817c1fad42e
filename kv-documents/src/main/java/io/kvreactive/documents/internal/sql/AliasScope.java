package io.kvreactive.documents.internal.sql;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The aliases visible in a part of a query: its own aliases and those of the enclosing queries. */
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
