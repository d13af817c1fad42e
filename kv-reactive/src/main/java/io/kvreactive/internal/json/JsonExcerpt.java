package io.kvreactive.internal.json;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/** The beginning of a JSON document, for messages. Reads no more of the document than it shows. */
final class JsonExcerpt {
  private static final int SHOWN = 80;

  private final StringBuilder out = new StringBuilder();

  private JsonExcerpt() {}

  static String of(JsonNode node) {
    if (node.isMissingNode()) {
      return "nothing";
    }
    JsonExcerpt excerpt = new JsonExcerpt();
    excerpt.show(node);
    return cut(excerpt.out.toString());
  }

  /** Returns the text, truncated with an ellipsis if it is long. */
  static String cut(String text) {
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
  }

  /** Returns an excerpt of a text, with that offset near its middle. */
  static String around(String text, int offset) {
    int from = Math.max(0, Math.min(offset, text.length()) - SHOWN / 2);
    return (from == 0 ? "" : "…") + cut(text.substring(from));
  }

  private boolean isFull() {
    return out.length() > SHOWN;
  }

  /**
   * Appends a node. Each level appends a bracket first, so a full excerpt bounds the depth as well.
   */
  private void show(JsonNode node) {
    if (node.isTextual()) {
      quoted(node.textValue());
    } else if (node.isObject()) {
      showObject(node);
    } else if (node.isArray()) {
      showArray(node);
    } else {
      out.append(node.isPojo() ? "a Java object" : node.asText());
    }
  }

  private void showObject(JsonNode node) {
    out.append('{');
    String separator = "";
    for (Map.Entry<String, JsonNode> property : node.properties()) {
      if (isFull()) {
        return;
      }
      out.append(separator);
      quoted(property.getKey());
      out.append(':');
      show(property.getValue());
      separator = ",";
    }
    out.append('}');
  }

  private void showArray(JsonNode node) {
    out.append('[');
    String separator = "";
    for (JsonNode element : node) {
      if (isFull()) {
        return;
      }
      out.append(separator);
      show(element);
      separator = ",";
    }
    out.append(']');
  }

  private void quoted(String text) {
    String shown = text.length() <= SHOWN ? text : text.substring(0, SHOWN);
    out.append('"');
    JsonStringEncoder.getInstance().quoteAsString(shown, out);
    out.append('"');
  }
}
