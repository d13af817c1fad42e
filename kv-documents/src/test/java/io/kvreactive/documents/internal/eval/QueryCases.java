package io.kvreactive.documents.internal.eval;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** External sample queries with their results. They are not part of the project. */
final class QueryCases {
  static final String FILE = "shared/spec/query-cases.json";

  private QueryCases() {}

  /**
   * Returns the file below the working directory or one of its parents, or null if it does not
   * exist.
   */
  static @Nullable Path find() {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      Path file = at.resolve(FILE);
      if (Files.isRegularFile(file)) {
        return file;
      }
    }
    return null;
  }

  static List<JsonNode> read(Path file) throws IOException {
    JsonNode all = new ObjectMapper().readTree(file.toFile());
    List<JsonNode> cases = new ArrayList<>();
    for (JsonNode one : all.get("cases")) {
      JsonNode docs = one.get("docs");
      if (docs.isTextual()) {
        ((ObjectNode) one).set("docs", all.get("fixtures").get(docs.textValue().substring(1)));
      }
      cases.add(one);
    }
    return cases;
  }
}
