package io.kvreactive.index.spi;

import io.kvreactive.index.CollectionDefinition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A module that adds functions of queries and kinds of indexes to all stores of documents of a
 * process. {@link java.util.ServiceLoader} finds it by its name in {@code
 * META-INF/services/io.kvreactive.index.spi.IndexExtension}. An extension has no state and is used
 * by many threads.
 */
public interface IndexExtension {
  /** Returns whether this makes the indexes of a member of policies, such as spatialIndexes. */
  default boolean supports(String policyMember) {
    return false;
  }

  /** Returns functions that queries may call, of names that no other function has. */
  default List<ScalarFunction> functions() {
    return List.of();
  }

  /**
   * Returns the indexes of this kind that a definition declares, in its order.
   *
   * @throws io.kvreactive.index.IndexException INVALID_POLICY for one that this extension does not
   *     support
   */
  default List<TermIndex> indexes(CollectionDefinition definition) {
    return List.of();
  }

  /** Returns whether this makes neighbour indexes of a type of vector index, such as diskANN. */
  default boolean supportsNeighborIndex(String type) {
    return false;
  }

  /**
   * Makes an empty neighbour index of a type that this supports.
   *
   * @param sample some of the vectors that it is for, at least one
   */
  default NeighborIndex newNeighborIndex(NeighborSpec spec, List<float[]> sample) {
    throw new UnsupportedOperationException(spec.type());
  }

  /**
   * Reads a neighbour index of a type that this supports.
   *
   * @throws IOException if it was not saved by this version with such a spec, or is damaged; a
   *     compressed one may be read without a size of codes
   */
  default NeighborIndex loadNeighborIndex(NeighborSpec spec, ByteBuffer saved) throws IOException {
    throw new UnsupportedOperationException(spec.type());
  }
}
