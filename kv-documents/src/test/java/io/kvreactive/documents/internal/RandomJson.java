package io.kvreactive.documents.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.internal.value.Values;
import java.util.List;
import java.util.Random;

/** Random values that are often equal and often at the boundaries of encodings. */
public final class RandomJson {
  public static final List<String> NAMES = List.of("a", "b", "c", "x-y", "0", "", "_etag", "id");

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final double[] NUMBERS = {
    0, -0.0, 1, -1, 2, 0.5, 255, 256, -256, 1e-300, -1e-300, 1e300, -1e300, 1L << 53, Math.PI
  };
  private static final String[] UNITS = {
    "\0",
    "\0",
    "\u0001",
    "a",
    "b",
    "\u007f",
    "\u0080",
    "\u07ff",
    "\u0800",
    "\ud800",
    "\udfff",
    "\ud83d\ude00",
    "\ue000",
    "\uffff"
  };

  private final Random random;

  public RandomJson(long seed) {
    random = new Random(seed);
  }

  public Random random() {
    return random;
  }

  /** Returns a number, string, boolean or null. */
  public JsonNode scalar(int stringLength) {
    return switch (random.nextInt(8)) {
      case 0 -> JSON.nullNode();
      case 1 -> JSON.booleanNode(random.nextBoolean());
      case 2, 3, 4 -> number();
      default -> JSON.textNode(text(stringLength));
    };
  }

  private JsonNode number() {
    if (random.nextInt(4) == 0) {
      return JSON.numberNode(Double.longBitsToDouble(random.nextLong() & ~(1L << 62)));
    }
    double number = NUMBERS[random.nextInt(NUMBERS.length)];
    return number == Math.rint(number) && Math.abs(number) < 1000 && random.nextBoolean()
        ? JSON.numberNode((int) number)
        : JSON.numberNode(number);
  }

  /** Returns a short text of few letters, or sometimes a long one with a random end. */
  public String text(int longest) {
    StringBuilder text = new StringBuilder();
    if (longest > 20 && random.nextInt(3) == 0) {
      // Places the following letters where an encoding truncates.
      text.append("a".repeat(longest - 9 + random.nextInt(8)));
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      text.append(UNITS[random.nextInt(UNITS.length)]);
    }
    return text.toString();
  }

  /** Returns any value, including undefined, arrays and objects. */
  public JsonNode any(int depth, int stringLength) {
    return switch (depth == 0 ? 9 : random.nextInt(10)) {
      case 0 -> Values.UNDEFINED;
      case 1, 2 -> array(depth - 1, stringLength);
      case 3, 4 -> object(depth - 1, stringLength);
      default -> scalar(stringLength);
    };
  }

  private ArrayNode array(int depth, int stringLength) {
    ArrayNode array = JSON.arrayNode();
    for (int i = random.nextInt(4); i > 0; i--) {
      JsonNode element = any(depth, stringLength);
      if (!element.isMissingNode()) {
        array.add(element);
      }
    }
    return array;
  }

  public ObjectNode object(int depth, int stringLength) {
    ObjectNode object = JSON.objectNode();
    for (int i = random.nextInt(5); i > 0; i--) {
      JsonNode value = any(depth, stringLength);
      if (!value.isMissingNode()) {
        object.set(NAMES.get(random.nextInt(NAMES.size())), value);
      }
    }
    return object;
  }
}
