package io.kvreactive.internal.json;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.value.ValueMapper;
import java.util.ArrayList;
import java.util.List;

/**
 * Where in a JSON document reading has come to. Messages name it by its JSON pointer (RFC 6901); it
 * also bounds the depth.
 */
final class JsonPosition {
  /** JSON may nest as deeply as values may, tagged forms included. */
  static final int MAX_DEPTH = ValueMapper.MAX_DEPTH;

  private static final int SHOWN = 200;

  private final KvErrorCode code;
  private final String document;
  private final String root;
  private final List<Object> path = new ArrayList<>();

  /**
   * The root of what is to be read.
   *
   * @param document what the pointer points into, for messages
   * @param root the pointer to the root; empty for a document of its own
   */
  JsonPosition(KvErrorCode code, String document, String root) {
    this.code = code;
    this.document = document;
    this.root = root;
  }

  /** Goes one level down, to a property or an element. */
  void enter(Object nameOrIndex) {
    path.add(nameOrIndex);
    if (path.size() > MAX_DEPTH) {
      throw new KvException(
          code, here() + ": nests too deeply (expected: at most " + MAX_DEPTH + " levels)");
    }
  }

  /** Goes back up. */
  void leave() {
    path.remove(path.size() - 1);
  }

  boolean isRoot() {
    return path.isEmpty();
  }

  KvException invalid(JsonNode found, String expected) {
    return new KvException(
        code, here() + ": " + JsonExcerpt.of(found) + " (expected: " + expected + ")");
  }

  private String here() {
    StringBuilder pointer = new StringBuilder(root);
    for (Object step : path) {
      pointer.append('/').append(step.toString().replace("~", "~0").replace("/", "~1"));
      if (pointer.length() > SHOWN) {
        pointer.setLength(SHOWN);
        pointer.append('…');
        break;
      }
    }
    return pointer.isEmpty() ? document : document + " at " + pointer;
  }
}
