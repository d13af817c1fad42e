package io.kvreactive.documents.internal.plan;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.VectorEmbedding;
import io.kvreactive.documents.internal.functions.VectorDistance;
import io.kvreactive.documents.internal.policy.EmbeddingPolicy;
import io.kvreactive.documents.internal.sql.ScoreOrderRules;
import io.kvreactive.documents.internal.sql.ast.Expr;
import io.kvreactive.documents.internal.sql.ast.Query;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.internal.value.VectorReader;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks the constant arguments of ORDER BY VectorDistance. With other values no row has a score,
 * and the query would read all items to find that out.
 */
public final class VectorArguments {
  private static final int MAX_SHOWN = 40;

  private VectorArguments() {}

  /**
   * Checks the order of a query.
   *
   * @throws DocumentException INVALID_ARGUMENT for a constant that is no vector, a vector of
   *     another length than that of the embedding, and invalid options
   */
  public static void check(Query query, EmbeddingPolicy embeddings) {
    if (!ScoreOrderRules.isIn(query)
        || !ScoreOrderRules.isVectorDistance(query.orderBy().get(0).expr())) {
      return;
    }
    List<Expr> arguments = ((Expr.Call) query.orderBy().get(0).expr()).arguments();
    FieldScope scope = FieldScope.of(query);
    ConstantValues constants = new ConstantValues(Map.of());
    VectorEmbedding embedding = null;
    for (Expr argument : arguments.subList(0, 2)) {
      FieldRef field = scope.field(argument);
      embedding = embedding != null || field == null ? embedding : embeddings.get(text(field));
    }
    JsonNode[] values = new JsonNode[arguments.size()];
    for (int i = 0; i < values.length; i++) {
      Expr argument = arguments.get(i);
      JsonNode value = scope.field(argument) == null ? constants.value(argument) : null;
      if (value != null && i < 2) {
        checkVector(value, embedding);
      }
      if (value == null && i >= 2) {
        return; // options that depend on the item
      }
      values[i] = value == null ? Values.UNDEFINED : value;
    }
    if (VectorDistance.metric(values, embedding) == null) {
      throw invalid(
          "options of VectorDistance",
          shown(values[values.length - 1]),
          "a boolean, then {\"distanceFunction\": \"cosine\", \"dotproduct\" or \"euclidean\","
              + " \"dataType\": \"float32\", \"float16\", \"int8\" or \"uint8\","
              + " \"searchListSizeMultiplier\": 1 to 100}");
    }
  }

  private static String text(FieldRef field) {
    return field.isSingle() ? field.exact().text() : "";
  }

  private static void checkVector(JsonNode value, @Nullable VectorEmbedding embedding) {
    if (VectorReader.read(value) == null) {
      int other = value.isArray() ? firstOther(value) : -1;
      String offending =
          other >= 0
              ? "element " + other + " is " + shown(value.get(other))
              : value.isArray() ? value.size() + " numbers" : shown(value);
      throw invalid("vector of VectorDistance", offending, expected(embedding));
    }
    if (embedding != null && value.size() != embedding.dimensions()) {
      throw invalid("vector of VectorDistance", value.size() + " numbers", expected(embedding));
    }
  }

  /** Returns the index of the first element that is no number of float32, or -1. */
  private static int firstOther(JsonNode array) {
    for (int i = 0; i < array.size(); i++) {
      JsonNode element = array.get(i);
      if (!element.isNumber() || !Float.isFinite((float) element.doubleValue())) {
        return i;
      }
    }
    return -1;
  }

  private static String expected(@Nullable VectorEmbedding embedding) {
    return embedding == null
        ? "an array of 1 to " + VectorReader.MAX_DIMENSIONS + " numbers of float32"
        : "an array of "
            + embedding.dimensions()
            + " numbers of float32, as the embedding of "
            + embedding.path()
            + " has";
  }

  private static String shown(JsonNode value) {
    String text = value.isMissingNode() ? "undefined" : value.toString();
    return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…";
  }

  private static DocumentException invalid(String what, String value, String expected) {
    return new DocumentException(
        DocumentErrorCode.INVALID_ARGUMENT, what + ": " + value + " (expected: " + expected + ")");
  }
}
