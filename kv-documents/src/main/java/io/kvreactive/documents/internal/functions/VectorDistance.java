package io.kvreactive.documents.internal.functions;

import static io.kvreactive.documents.internal.value.Values.UNDEFINED;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.VectorEmbedding;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.internal.value.VectorMetric;
import io.kvreactive.documents.internal.value.VectorReader;
import io.kvreactive.documents.spi.EvaluationContext;
import io.kvreactive.documents.spi.ScalarFunction;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * VECTORDISTANCE(v1, v2 [, bruteForce [, options]]): the score of two vectors.
 *
 * <p>The distance function is that of the options. The default is that of the embedding policy of
 * an argument that is a path, or else cosine. A vector at such a path must have the number of
 * elements of its embedding policy. Elements are converted to float32, whatever the data type, so
 * that a score is the same with and without an index. The result is undefined for other arguments.
 */
public final class VectorDistance implements ScalarFunction {
  /** The name in capitals. */
  public static final String NAME = "VECTORDISTANCE";

  private static final Set<String> DATA_TYPES = Set.of("float32", "float16", "int8", "uint8");
  private static final int MAX_MULTIPLIER = 100;

  private final @Nullable String firstPath;
  private final @Nullable String secondPath;
  private final @Nullable Known first;
  private final @Nullable Known second;
  private final boolean ranks;

  /** A constant argument; the vector is null if the constant is not a vector. */
  private record Known(float @Nullable [] vector) {}

  VectorDistance() {
    this(null, null, null, null, false);
  }

  private VectorDistance(
      @Nullable String firstPath,
      @Nullable String secondPath,
      @Nullable Known first,
      @Nullable Known second,
      boolean ranks) {
    this.firstPath = firstPath;
    this.secondPath = secondPath;
    this.first = first;
    this.second = second;
    this.ranks = ranks;
  }

  /**
   * Returns this function for arguments at given paths.
   *
   * @param newFirst the canonical path of the first argument, or null if it is not a path
   * @param newSecond the canonical path of the second argument, or null if it is not a path
   */
  public VectorDistance at(@Nullable String newFirst, @Nullable String newSecond) {
    return new VectorDistance(newFirst, newSecond, first, second, ranks);
  }

  /** Returns the sort key function of ORDER BY: ascending, the closest first. */
  public VectorDistance ranking() {
    return new VectorDistance(firstPath, secondPath, first, second, true);
  }

  @Override
  public VectorDistance prepare(ConstantArguments constants) {
    return new VectorDistance(
        firstPath, secondPath, known(constants.get(0)), known(constants.get(1)), ranks);
  }

  private static @Nullable Known known(@Nullable JsonNode constant) {
    return constant == null ? null : new Known(VectorReader.read(constant));
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public boolean ordersRows() {
    return true;
  }

  @Override
  public int minArguments() {
    return 2;
  }

  @Override
  public int maxArguments() {
    return 4;
  }

  @Override
  public JsonNode call(JsonNode[] arguments, EvaluationContext context) {
    VectorEmbedding ofFirst = embedding(firstPath, context);
    VectorEmbedding ofSecond = embedding(secondPath, context);
    VectorMetric metric = metric(arguments, ofFirst == null ? ofSecond : ofFirst);
    if (metric == null) {
      return UNDEFINED;
    }
    float[] a = vector(arguments[0], first, ofFirst);
    float[] b = a == null ? null : vector(arguments[1], second, ofSecond);
    if (a == null || b == null) {
      return UNDEFINED;
    }
    double score = metric.score(a, b);
    return Double.isNaN(score) ? UNDEFINED : Values.number(ranks ? metric.rank(score) : score);
  }

  private static @Nullable VectorEmbedding embedding(
      @Nullable String path, EvaluationContext context) {
    return path == null ? null : context.vectorEmbedding(path);
  }

  private static float @Nullable [] vector(
      JsonNode argument, @Nullable Known known, @Nullable VectorEmbedding embedding) {
    if (known != null) {
      return known.vector();
    }
    return embedding == null || argument.size() == embedding.dimensions()
        ? VectorReader.read(argument)
        : null;
  }

  /**
   * Returns the distance function of a call, or null if the optional arguments are not valid.
   *
   * @param embedding the embedding policy of the argument that is a path, or null
   */
  public static @Nullable VectorMetric metric(
      JsonNode[] arguments, @Nullable VectorEmbedding embedding) {
    VectorMetric own =
        embedding == null ? VectorMetric.COSINE : VectorMetric.find(embedding.distanceFunction());
    if (arguments.length > 2 && !arguments[2].isBoolean()) {
      return null;
    }
    if (arguments.length < 4) {
      return own;
    }
    JsonNode options = arguments[3];
    JsonNode dataType = options.path("dataType");
    JsonNode multiplier = options.path("searchListSizeMultiplier");
    if (!options.isObject()
        || !dataType.isMissingNode() && !DATA_TYPES.contains(dataType.asText())
        || !multiplier.isMissingNode() && !isMultiplier(multiplier)) {
      return null;
    }
    JsonNode distance = options.path("distanceFunction");
    return distance.isMissingNode() ? own : VectorMetric.find(distance.textValue());
  }

  private static boolean isMultiplier(JsonNode value) {
    double number = value.isNumber() ? value.doubleValue() : 0;
    return number >= 1 && number <= MAX_MULTIPLIER && number == Math.rint(number);
  }
}
