package io.kvreactive.documents.internal.functions;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.internal.value.Values;
import io.kvreactive.documents.spi.EvaluationContext;
import io.kvreactive.documents.spi.ScalarFunction;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.IntFunction;

/**
 * Calls functions with arguments of a given size and returns the work. {@link CountingClassLoader}
 * loads this class, so that it has types of the JDK only in its signature.
 */
public final class FunctionProbe implements BiFunction<String, Object[], long[]> {
  /** The name of the operator LIKE, which is measured as a function of a text and a pattern. */
  static final String LIKE = "LIKE";

  /** Arguments by name, each a value for a size. */
  static final Map<String, IntFunction<JsonNode>> ARGUMENTS = arguments();

  private static final EvaluationContext CONTEXT = Table.context(false);

  private final Map<String, Argument> cached = new HashMap<>();

  private record Argument(JsonNode value, long size) {}

  private static Map<String, IntFunction<JsonNode>> arguments() {
    Map<String, IntFunction<JsonNode>> all = new LinkedHashMap<>();
    all.put("a*n", n -> Values.text("a".repeat(n)));
    all.put("a", n -> Values.text("a"));
    all.put("a%a", n -> Values.text("%a%a%a%"));
    all.put("a*20_b", n -> Values.text("%" + "a".repeat(20) + "_[b]%"));
    all.put("a*40+b", n -> Values.text("a".repeat(40) + "b"));
    all.put("ab*n/2", n -> Values.text("ab".repeat(n / 2)));
    all.put("a*n/2+b", n -> Values.text("a".repeat(n / 2) + "b"));
    all.put("[n numbers]", n -> array(n, i -> Values.number(i)));
    all.put("[n objects]", n -> array(n, i -> object(1, k -> "k" + k)));
    all.put("{n members}", n -> object(n, i -> "k" + i));
    all.put("1", n -> Values.number(1));
    all.put("n", n -> Values.number(n));
    // letters that grow when their case changes, in Unicode and in the JDK
    all.put("\u0130*n", n -> Values.text("\u0130".repeat(n)));
    all.put("\u00df*n", n -> Values.text("\u00df".repeat(n)));
    all.put("blanks", n -> Values.text(" ".repeat(n)));
    all.put("a%*n/2", n -> Values.text("a%".repeat(n / 2)));
    all.put("(a+)*n/4", n -> Values.text("(a+)".repeat(n / 4)));
    all.put("{*n", n -> Values.text("{".repeat(n)));
    all.put("{9*n/2", n -> Values.text("{9".repeat(n / 2)));
    all.put("'x'*n/3", n -> Values.text("'x'".repeat(n / 3)));
    all.put("MMMM *n/5", n -> Values.text("MMMM ".repeat(n / 5)));
    all.put("JSON array", n -> Values.text("[" + "1,".repeat(n / 2) + "1]"));
    all.put("JSON object", n -> Values.text(object(n / 8, i -> "k" + i).toString()));
    all.put("[*n", n -> Values.text("[".repeat(n)));
    all.put("9*n", n -> Values.text("9".repeat(n)));
    all.put("[n equal texts]", n -> array(n, i -> Values.text("a")));
    all.put("[n texts of one hash]", n -> array(n, i -> Values.text(colliding(i))));
    all.put("[n empty objects]", n -> array(n, i -> object(0, k -> "")));
    all.put("{n members of one hash}", n -> object(n, FunctionProbe::colliding));
    all.put("[√n objects of √n]", n -> array(root(n), i -> object(root(n), k -> "k" + k)));
    all.put("[[n numbers]]", n -> array(1, i -> array(n, k -> Values.number(k))));
    all.put("{k: {n members}}", n -> object(1, i -> "k" + i).set("k0", object(n, i -> "k" + i)));
    all.put("[n {k: {}}]", n -> array(n, i -> object(1, k -> "k").set("k0", object(0, k -> ""))));
    all.put("date", n -> Values.text("2026-01-02T03:04:05.0000000Z"));
    all.put("dd", n -> Values.text("dd"));
    all.put("true", n -> Values.TRUE);
    all.put("null", n -> Values.NULL);
    return all;
  }

  /** Returns true if an argument grows with the size. */
  static boolean grows(String argument) {
    IntFunction<JsonNode> values = ARGUMENTS.get(argument);
    return !values.apply(8).equals(values.apply(1000));
  }

  private static int root(int n) {
    return (int) Math.sqrt(n);
  }

  private static JsonNode array(int size, IntFunction<JsonNode> element) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode(size);
    for (int i = 0; i < size; i++) {
      array.add(element.apply(i));
    }
    return array;
  }

  private static ObjectNode object(int size, IntFunction<String> name) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    for (int i = 0; i < size; i++) {
      object.set(name.apply(i), Values.number(i));
    }
    return object;
  }

  /** Returns different texts with the same hash code. */
  private static String colliding(int number) {
    StringBuilder text = new StringBuilder();
    for (int bit = 0; bit < 17; bit++) {
      text.append((number >> bit & 1) == 0 ? "Aa" : "BB");
    }
    return text.toString();
  }

  /**
   * Calls a function.
   *
   * @param name the name of the function
   * @param arguments the size, and the names of the arguments
   * @return the work, and the size of arguments and result
   */
  @Override
  public long[] apply(String name, Object[] arguments) {
    int size = (Integer) arguments[0];
    JsonNode[] values = new JsonNode[arguments.length - 1];
    long total = 0;
    for (int i = 0; i < values.length; i++) {
      Argument argument = argument((String) arguments[i + 1], size);
      values[i] = argument.value();
      total += argument.size();
    }
    ScalarFunction function = FunctionRegistry.find(name);
    JsonNode result = Values.UNDEFINED;
    WorkCounter.start();
    try {
      if (function != null) {
        result = function.call(values, CONTEXT);
      } else if (values[0].isTextual() && values[1].isTextual()) {
        LikePattern.compile(values[1].textValue(), null).matches(values[0].textValue());
      }
    } catch (FunctionLimitException e) {
      // ends the work
    }
    long work = WorkCounter.work();
    return new long[] {work, total + size(result)};
  }

  private static long size(JsonNode value) {
    if (value.isTextual()) {
      return 1 + value.textValue().length();
    }
    long size = 1;
    for (Map.Entry<String, JsonNode> member : value.properties()) {
      size += member.getKey().length() + size(member.getValue());
    }
    for (JsonNode element : value.isArray() ? value : List.<JsonNode>of()) {
      size += size(element);
    }
    return size;
  }

  private Argument argument(String name, int size) {
    return cached.computeIfAbsent(
        name + size,
        key -> {
          JsonNode value = ARGUMENTS.get(name).apply(size);
          return new Argument(value, size(value));
        });
  }
}
