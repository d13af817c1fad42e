package io.kvreactive.internal.json;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.json.JsonSyntax;
import java.util.ArrayList;
import java.util.List;

/**
 * The position of a reader in a JSON document. Messages give it as a JSON pointer (RFC 6901). Also
 * bounds the depth.
 */
final class JsonPosition {
  /** Maximum depth of JSON: that of values, tagged forms included. */
  static final int MAX_DEPTH = ValueMapper.MAX_DEPTH;

  private final KvErrorCode code;
  private final String document;
  private final String root;
  private final List<Object> path = new ArrayList<>();

  /**
   * Creates the position of the root.
   *
   * @param document the name of the document to which the pointer refers, for messages
   * @param root the pointer to the root; empty if the root is the whole document
   */
  JsonPosition(KvErrorCode code, String document, String root) {
    this.code = code;
    this.document = document;
    this.root = root;
  }

  /** Descends one level, to a property or an element. */
  void enter(Object nameOrIndex) {
    path.add(nameOrIndex);
    if (path.size() > MAX_DEPTH) {
      throw new KvException(
          code, here() + ": nests too deeply (expected: at most " + MAX_DEPTH + " levels)");
    }
  }

  /** Ascends one level. */
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
    String pointer = root + JsonSyntax.pointer(path);
    return pointer.isEmpty() ? document : document + " at " + pointer;
  }
}
