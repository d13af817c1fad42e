package io.kvreactive.documents.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.path.MemberStep;
import io.kvreactive.documents.internal.path.Step;
import java.util.List;

/** Static methods that set the values at paths of documents. */
final class PathValues {
  private PathValues() {}

  /** Sets a value at a path of labels, creating the objects on the way. */
  static void set(ObjectNode document, IndexPath path, JsonNode value) {
    ObjectNode at = document;
    List<Step> steps = path.steps();
    for (int i = 0; i < steps.size() - 1; i++) {
      String name = ((MemberStep) steps.get(i)).name();
      JsonNode next = at.get(name);
      ObjectNode object =
          next instanceof ObjectNode there ? there : JsonNodeFactory.instance.objectNode();
      at.set(name, object);
      at = object;
    }
    at.set(((MemberStep) steps.get(steps.size() - 1)).name(), value);
  }
}
