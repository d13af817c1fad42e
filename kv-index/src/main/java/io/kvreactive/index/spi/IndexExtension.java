package io.kvreactive.index.spi;

import io.kvreactive.index.CollectionDefinition;
import java.util.List;

/**
 * A module that adds functions of queries and a kind of index to all stores of documents of a
 * process. {@link java.util.ServiceLoader} finds it by its name in {@code
 * META-INF/services/io.kvreactive.index.spi.IndexExtension}. An extension has no state and is used
 * by many threads.
 */
public interface IndexExtension {
  /** Returns whether this makes the indexes of a member of policies, such as spatialIndexes. */
  boolean supports(String policyMember);

  /** Returns functions that queries may call, of names that no other function has. */
  List<ScalarFunction> functions();

  /**
   * Returns the indexes of this kind that a definition declares, in its order.
   *
   * @throws io.kvreactive.index.IndexException INVALID_POLICY for one that this extension does not
   *     support
   */
  List<TermIndex> indexes(CollectionDefinition definition);
}
