package io.kvreactive.documents.internal.exec;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.internal.value.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Documents with few distinct values of all types, so that conditions match and orders have ties.
 */
final class SampleDocuments {
  private static final String[] ANY = {
    "1",
    "2",
    "3",
    "3",
    "3.0",
    "4",
    "-1",
    "null",
    "true",
    "false",
    "\"x\"",
    "\"y\"",
    "\"\"",
    "[1,2]",
    "[]",
    "{\"k\":1}",
    "{}",
    "\"3\""
  };
  private static final String[] TEXTS = {
    "apple", "Apple", "banana", "ananas", "", "a", "äpfel", "zebra", "app", "a\\u0000b", "a\\u0001"
  };
  private static final String[] B = {"\"y\"", "\"y\"", "\"z\"", "\"a\"", "5", "null", "[\"y\"]"};
  private static final String[] TAGS = {"\"red\"", "\"blue\"", "\"green\"", "7", "[\"red\"]"};
  private static final String[] NAMES = {"Bo", "Al", "Cy"};

  private final Random random;

  SampleDocuments(long seed) {
    random = new Random(seed);
  }

  List<ObjectNode> make(int from, int to) {
    List<ObjectNode> all = new ArrayList<>();
    for (int i = from; i < to; i++) {
      all.add((ObjectNode) Json.parse(document(i)));
    }
    return all;
  }

  private String document(int i) {
    StringBuilder out = new StringBuilder("{\"id\":\"" + i + "\"");
    member(out, "a", pick(ANY));
    member(out, "b", pick(B));
    member(out, "f", String.valueOf(random.nextInt(12) - 2));
    member(out, "s", text());
    member(out, "flag", random.nextInt(3) == 0 ? "\"yes\"" : String.valueOf(random.nextBoolean()));
    if (random.nextInt(3) > 0) {
      member(out, "n", "{\"x\":" + random.nextInt(4) + ",\"y\":\"q\"}");
    } else {
      member(out, "n", pick(ANY));
    }
    member(out, "tags", array(pick(TAGS), pick(TAGS), pick(TAGS)));
    member(out, "kids", array(kid(), kid(), kid()));
    if (random.nextInt(6) == 0) {
      member(out, "big", "900719925474099" + random.nextInt(10));
    }
    return out.append('}').toString();
  }

  private void member(StringBuilder out, String name, String value) {
    if (random.nextInt(5) > 0) {
      out.append(",\"").append(name).append("\":").append(value);
    }
  }

  private String text() {
    return switch (random.nextInt(8)) {
      case 0 -> "\"" + "long".repeat(500) + random.nextInt(5) + "\"";
      case 1 -> pick(ANY);
      default -> "\"" + pick(TEXTS) + "\"";
    };
  }

  private String array(String... values) {
    int size = random.nextInt(values.length + 1);
    return "[" + String.join(",", List.of(values).subList(0, size)) + "]";
  }

  private String kid() {
    String age = random.nextInt(4) == 0 ? "" : ",\"age\":" + random.nextInt(5);
    return "{\"name\":\"" + pick(NAMES) + "\"" + age + "}";
  }

  private String pick(String[] values) {
    return values[random.nextInt(values.length)];
  }
}
