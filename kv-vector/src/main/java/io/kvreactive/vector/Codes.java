package io.kvreactive.vector;

import io.github.jbellis.jvector.disk.ByteBufferIndexWriter;
import io.github.jbellis.jvector.disk.RandomAccessReader;
import io.github.jbellis.jvector.graph.ListRandomAccessVectorValues;
import io.github.jbellis.jvector.graph.similarity.BuildScoreProvider;
import io.github.jbellis.jvector.graph.similarity.ScoreFunction;
import io.github.jbellis.jvector.quantization.MutablePQVectors;
import io.github.jbellis.jvector.quantization.ProductQuantization;
import io.github.jbellis.jvector.vector.VectorSimilarityFunction;
import io.github.jbellis.jvector.vector.VectorizationProvider;
import io.github.jbellis.jvector.vector.types.ByteSequence;
import io.github.jbellis.jvector.vector.types.VectorFloat;
import io.github.jbellis.jvector.vector.types.VectorTypeSupport;
import io.kvreactive.index.spi.NeighborSpec;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.LongStream;
import org.agrona.collections.IntArrayList;
import org.agrona.collections.Long2LongHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Compressed vectors by ordinal, with the id of each: codes of a product quantisation, one byte for
 * each part of a vector. One thread changes them; any number reads those of ordinals that it was
 * given after they were written.
 *
 * <p>Vectors are compressed as elements between which the Euclidean distance has the order of the
 * distance function, since neighbours of neighbours are close only by a distance. With the cosine,
 * they are scaled to the length 1. With the dot product, an element is added that gives all stored
 * vectors the same length (Bachrach et al., Speeding up the Xbox recommender system, 2014); it is 0
 * in the vector of a query.
 */
final class Codes {
  /** The elements that one byte of a code stands for, unless the definition says otherwise. */
  private static final int ELEMENTS_PER_BYTE = 2;

  private static final int MAX_BYTES = 512;
  private static final int CLUSTERS = 256;
  private static final int FORMAT = 0x4b564e31; // KVN1
  private static final int PQ_FORMAT = 5;
  private static final int NONE = -1;

  /** How much longer than the longest of the sample others may be. */
  private static final double MARGIN = 1.1;

  /** Bytes that an ordinal takes beside its code: id, stamp, and its place in the map. */
  private static final int ORDINAL_BYTES = 56;

  private final VectorTypeSupport types =
      VectorizationProvider.getInstance().getVectorTypeSupport();
  private final NeighborSpec spec;
  private final float length; // of all stored vectors, with the dot product
  private final ProductQuantization quantization;
  private final MutablePQVectors codes;
  private final Long2LongHashMap ordinals = new Long2LongHashMap(NONE);
  private final IntArrayList free = new IntArrayList();
  private volatile long[] ids = new long[1024]; // by ordinal; 0 for none
  private long[] stamps = new long[1024];
  private volatile int limit; // ordinals below it have been given

  private Codes(NeighborSpec spec, float length, ProductQuantization quantization) {
    this.spec = spec;
    this.length = length;
    this.quantization = quantization;
    this.codes = new MutablePQVectors(quantization);
  }

  /** Returns no codes yet, for vectors like those of a sample. */
  static Codes of(NeighborSpec spec, List<float[]> sample) {
    VectorTypeSupport types = VectorizationProvider.getInstance().getVectorTypeSupport();
    double longest = 0;
    for (float[] vector : sample) {
      longest = Math.max(longest, length(vector));
    }
    float length = (float) (longest * MARGIN);
    List<VectorFloat<?>> vectors = new ArrayList<>();
    for (float[] vector : sample) {
      vectors.add(types.createFloatVector(elements(spec, vector, length)));
    }
    // a pool of its own, since the library's own takes all processors
    ForkJoinPool pool = new ForkJoinPool(1);
    try {
      return new Codes(
          spec,
          length,
          ProductQuantization.compute(
              new ListRandomAccessVectorValues(vectors, dimensions(spec)),
              codeBytes(spec),
              CLUSTERS,
              true, // centred
              -1, // no anisotropic threshold
              pool,
              pool));
    } finally {
      pool.shutdown();
    }
  }

  private static boolean isDotProduct(NeighborSpec spec) {
    return spec.distanceFunction().equals("dotproduct");
  }

  /** Returns the number of elements of what is compressed. */
  private static int dimensions(NeighborSpec spec) {
    return spec.dimensions() + (isDotProduct(spec) ? 1 : 0);
  }

  private static int codeBytes(NeighborSpec spec) {
    Integer wanted = spec.codeBytes();
    int bytes = wanted == null ? Math.max(1, spec.dimensions() / ELEMENTS_PER_BYTE) : wanted;
    return Math.min(bytes, Math.min(MAX_BYTES, spec.dimensions()));
  }

  /** Returns the number of the distance function in what is saved. */
  private static int distance(NeighborSpec spec) {
    return switch (spec.distanceFunction()) {
      case "cosine" -> 1;
      case "dotproduct" -> 2;
      default -> 3;
    };
  }

  private static double length(float[] vector) {
    double squares = 0;
    for (float element : vector) {
      squares += (double) element * element;
    }
    return Math.sqrt(squares);
  }

  /**
   * Returns what is compressed of a vector.
   *
   * @param wanted the length that the added element gives; 0 for the vector of a query
   */
  private static float[] elements(NeighborSpec spec, float[] vector, float wanted) {
    if (isDotProduct(spec)) {
      float[] more = Arrays.copyOf(vector, vector.length + 1);
      double own = length(vector);
      more[vector.length] = own < wanted ? (float) Math.sqrt((wanted - own) * (wanted + own)) : 0;
      return more;
    }
    if (!spec.distanceFunction().equals("cosine")) {
      return vector;
    }
    double length = length(vector);
    float[] scaled = new float[vector.length];
    for (int i = 0; i < vector.length; i++) {
      scaled[i] = (float) (vector[i] / length);
    }
    return scaled;
  }

  /** Returns a stored vector as the codes are of. */
  VectorFloat<?> stored(float[] vector) {
    return types.createFloatVector(elements(spec, vector, length));
  }

  /** Returns the vector of a query as the codes are of. */
  VectorFloat<?> asked(float[] vector) {
    return types.createFloatVector(elements(spec, vector, 0));
  }

  /** Returns the number of elements of what is compressed. */
  int dimensions() {
    return dimensions(spec);
  }

  // ---- changes

  /** Puts a vector at a new ordinal; the id must have none. */
  int add(long id, long stamp, VectorFloat<?> vector) {
    int ordinal = free.isEmpty() ? limit : free.removeAt(free.size() - 1);
    if (ordinal == ids.length) {
      stamps = Arrays.copyOf(stamps, 2 * ordinal);
      ids = Arrays.copyOf(ids, 2 * ordinal);
    }
    codes.encodeAndSet(ordinal, vector);
    stamps[ordinal] = stamp;
    ids[ordinal] = id;
    ordinals.put(id, ordinal);
    limit = Math.max(limit, ordinal + 1);
    return ordinal;
  }

  /** Takes the ordinal of an id away; -1 if it has none. The ordinal is not given again yet. */
  int remove(long id) {
    int ordinal = (int) ordinals.remove(id);
    if (ordinal != NONE) {
      ids[ordinal] = 0;
    }
    return ordinal;
  }

  /** Lets an ordinal be given again. */
  void free(int ordinal) {
    free.addInt(ordinal);
  }

  // ---- reads

  @Nullable Long stamp(long id) {
    long ordinal = ordinals.get(id);
    return ordinal == NONE ? null : stamps[(int) ordinal];
  }

  LongStream ids() {
    return Arrays.stream(ids, 0, limit).filter(id -> id != 0);
  }

  /** Returns the id of an ordinal, or 0 if it has none. */
  long id(int ordinal) {
    return ids[ordinal];
  }

  /** Returns the number of ordinals that were given, those that were taken away included. */
  int limit() {
    return limit;
  }

  int size() {
    return ordinals.size();
  }

  long memoryBytes() {
    return quantization.ramBytesUsed()
        + (long) limit * (quantization.compressedVectorSize() + ORDINAL_BYTES);
  }

  /** Returns the approximate scores of a vector with those of ordinals: higher is closer. */
  ScoreFunction scores(VectorFloat<?> vector) {
    return codes.precomputedScoreFunctionFor(vector, VectorSimilarityFunction.EUCLIDEAN);
  }

  BuildScoreProvider builds() {
    return BuildScoreProvider.pqBuildScoreProvider(VectorSimilarityFunction.EUCLIDEAN, codes);
  }

  // ---- saved

  /** Writes the quantisation, and id, stamp and code of each ordinal. */
  void save(DataOutput out) throws IOException {
    ByteBufferIndexWriter pq =
        ByteBufferIndexWriter.create(
            1024 + 2 * CLUSTERS * Float.BYTES * (dimensions(spec) + MAX_BYTES), false);
    quantization.write(pq, PQ_FORMAT);
    byte[] written = new byte[pq.bytesWritten()];
    pq.getWrittenData().get(written);
    out.writeInt(FORMAT);
    out.writeInt(spec.dimensions());
    out.writeInt(codeBytes(spec));
    out.writeInt(distance(spec));
    out.writeFloat(length);
    out.write(written);
    int count = limit;
    out.writeInt(count);
    byte[] code = new byte[quantization.compressedVectorSize()];
    for (int ordinal = 0; ordinal < count; ordinal++) {
      long id = ids[ordinal];
      out.writeLong(id);
      if (id != 0) {
        out.writeLong(stamps[ordinal]);
        ByteSequence<?> sequence = codes.get(ordinal);
        for (int i = 0; i < code.length; i++) {
          code[i] = sequence.get(i);
        }
        out.write(code);
      }
    }
  }

  static Codes load(NeighborSpec spec, RandomAccessReader in) throws IOException {
    if (in.readInt() != FORMAT
        || in.readInt() != spec.dimensions()
        || in.readInt() != codeBytes(spec)
        || in.readInt() != distance(spec)) {
      throw new IOException("another format, or of another index");
    }
    Codes loaded = new Codes(spec, in.readFloat(), ProductQuantization.load(in));
    int count = in.readInt();
    byte[] code = new byte[loaded.quantization.compressedVectorSize()];
    loaded.ids = new long[Math.max(1024, count)];
    loaded.stamps = new long[loaded.ids.length];
    for (int ordinal = 0; ordinal < count; ordinal++) {
      loaded.codes.setZero(ordinal);
      long id = in.readLong();
      if (id == 0) {
        loaded.free(ordinal);
        continue;
      }
      loaded.stamps[ordinal] = in.readLong();
      loaded.ids[ordinal] = id;
      loaded.ordinals.put(id, ordinal);
      in.readFully(code);
      ByteSequence<?> sequence = loaded.codes.get(ordinal); // shares the bytes
      for (int i = 0; i < code.length; i++) {
        sequence.set(i, code[i]);
      }
    }
    loaded.limit = count;
    return loaded;
  }
}
