package io.kvreactive.documents.spi;

import io.kvreactive.documents.CollectionDefinition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A module that adds query functions and kinds of indexes to all document stores of a process.
 * {@link java.util.ServiceLoader} finds it by its name in {@code
 * META-INF/services/io.kvreactive.documents.spi.IndexExtension}. An extension is stateless and used
 * by many threads.
 */
public interface IndexExtension {
  /**
   * Returns true if this extension provides the indexes of a policy member, such as spatialIndexes.
   */
  default boolean supports(String policyMember) {
    return false;
  }

  /**
   * Returns the functions that queries may call. Their names must be unique among all functions.
   */
  default List<ScalarFunction> functions() {
    return List.of();
  }

  /** Returns the indexes that a definition declares, of all extensions on the class path. */
  static List<TermIndex> allIndexes(CollectionDefinition definition) {
    return IndexExtensions.all().stream()
        .flatMap(extension -> extension.indexes(definition).stream())
        .toList();
  }

  /**
   * Returns the indexes of this kind that a definition declares, in its order.
   *
   * @throws io.kvreactive.documents.DocumentException INVALID_POLICY for an index that this
   *     extension does not support
   */
  default List<TermIndex> indexes(CollectionDefinition definition) {
    return List.of();
  }

  /**
   * Returns true if this extension provides neighbor indexes of a vector index type, such as
   * diskANN.
   */
  default boolean supportsNeighborIndex(String type) {
    return false;
  }

  /**
   * Creates an empty neighbor index of a supported type.
   *
   * @param sample a sample of the vectors to be indexed, at least one
   */
  default NeighborIndex newNeighborIndex(NeighborSpec spec, List<float[]> sample) {
    throw new UnsupportedOperationException(spec.type());
  }

  /**
   * Loads a neighbor index of a supported type.
   *
   * @throws IOException if the data was not saved by this version with an equal spec, or is
   *     damaged; a compressed index may be loaded without a code size
   */
  default NeighborIndex loadNeighborIndex(NeighborSpec spec, ByteBuffer saved) throws IOException {
    throw new UnsupportedOperationException(spec.type());
  }
}
