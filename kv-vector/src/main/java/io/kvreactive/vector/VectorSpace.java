package io.kvreactive.vector;

import io.github.jbellis.jvector.disk.RandomAccessReader;
import io.github.jbellis.jvector.vector.VectorizationProvider;
import io.github.jbellis.jvector.vector.types.VectorFloat;
import io.github.jbellis.jvector.vector.types.VectorTypeSupport;
import io.kvreactive.documents.spi.NeighborSpec;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The space in which vectors are indexed. Its Euclidean distance has the order of the distance
 * function: graph search needs a metric, in which neighbors of neighbors are close.
 *
 * <p>For the cosine, vectors are scaled to the length 1. For the dot product, an element is added
 * that gives all stored vectors the same length (Bachrach et al., Speeding up the Xbox recommender
 * system, 2014). The added element is 0 in a query vector.
 */
final class VectorSpace {
  /**
   * Maximum ratio of the length of a vector to the longest vector of the sample, for the dot
   * product.
   */
  private static final double MARGIN = 1.1;

  private enum Kind {
    COSINE,
    DOT_PRODUCT,
    EUCLIDEAN
  }

  private final VectorTypeSupport types =
      VectorizationProvider.getInstance().getVectorTypeSupport();
  private final Kind kind;
  private final int elements; // number of elements of a vector in the store
  private final float length; // length of all stored vectors, for the dot product

  private VectorSpace(NeighborSpec spec, float length) {
    this.kind =
        switch (spec.distanceFunction()) {
          case "cosine" -> Kind.COSINE;
          case "dotproduct" -> Kind.DOT_PRODUCT;
          default -> Kind.EUCLIDEAN;
        };
    this.elements = spec.dimensions();
    this.length = length;
  }

  /** Returns the space for vectors like those of a sample. */
  static VectorSpace of(NeighborSpec spec, List<float[]> sample) {
    double longest = 0;
    for (float[] vector : sample) {
      longest = Math.max(longest, length(vector));
    }
    return new VectorSpace(spec, (float) (longest * MARGIN));
  }

  private static double length(float[] vector) {
    double squares = 0;
    for (float element : vector) {
      squares += (double) element * element;
    }
    return Math.sqrt(squares);
  }

  /** Returns the number of elements of an indexed vector. */
  int dimensions() {
    return kind == Kind.DOT_PRODUCT ? elements + 1 : elements;
  }

  /** Returns the indexed form of a stored vector. */
  VectorFloat<?> stored(float[] vector) {
    return types.createFloatVector(place(vector, length));
  }

  /** Returns the elements of the indexed form of a query vector. */
  float[] query(float[] vector) {
    return place(vector, 0);
  }

  /** Returns an indexed vector with some elements, which are not copied. */
  VectorFloat<?> vector(float[] elements) {
    return types.createFloatVector(elements);
  }

  /** Returns an indexed vector of zeros. */
  VectorFloat<?> zeros() {
    return types.createFloatVector(dimensions());
  }

  private float[] place(float[] vector, float wanted) {
    double own = kind == Kind.EUCLIDEAN ? 0 : length(vector);
    return switch (kind) {
      case EUCLIDEAN -> vector;
      case DOT_PRODUCT -> {
        float[] more = Arrays.copyOf(vector, elements + 1);
        more[elements] = own < wanted ? (float) Math.sqrt((wanted - own) * (wanted + own)) : 0;
        yield more;
      }
      case COSINE -> {
        float[] scaled = new float[elements];
        for (int i = 0; i < elements; i++) {
          scaled[i] = (float) (vector[i] / own);
        }
        yield scaled;
      }
    };
  }

  /** Returns the original stored vector, or null if it is not known exactly. */
  float @Nullable [] added(float[] indexed) {
    return switch (kind) {
      case COSINE -> null;
      case DOT_PRODUCT -> Arrays.copyOf(indexed, elements);
      case EUCLIDEAN -> indexed;
    };
  }

  void save(DataOutput out) throws IOException {
    out.writeInt(elements);
    out.writeInt(number());
    out.writeFloat(length);
  }

  /** Returns the number of the distance function in the saved form. */
  private int number() {
    return switch (kind) {
      case COSINE -> 1;
      case DOT_PRODUCT -> 2;
      case EUCLIDEAN -> 3;
    };
  }

  static VectorSpace load(NeighborSpec spec, RandomAccessReader in) throws IOException {
    int elements = in.readInt();
    int number = in.readInt();
    VectorSpace loaded = new VectorSpace(spec, in.readFloat());
    if (elements != loaded.elements || number != loaded.number()) {
      throw new IOException("other vectors: " + elements + " elements, distance " + number);
    }
    return loaded;
  }
}
