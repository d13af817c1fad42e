package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.KvIndexOptions;
import io.kvreactive.json.KvJson;
import io.kvreactive.web.internal.auth.Access;
import io.kvreactive.web.internal.auth.CollectionKeys;
import io.kvreactive.web.internal.auth.Grant;
import java.util.function.Consumer;

/** Whether lines of an import may be written by their token: not the keys of collections. */
final class ImportKeys {
  private static final String ROOT = '"' + KvIndexOptions.DEFAULT.root() + '"';

  private ImportKeys() {}

  /** Throws FORBIDDEN for a line with such a key. */
  static Consumer<String> check(Grant grant) {
    return grant.access().contains(Access.ADMIN) ? line -> {} : line -> check(grant, line);
  }

  private static void check(Grant grant, String line) {
    if (!line.contains(ROOT) && line.indexOf('\\') < 0 && !line.contains("$key")) {
      return; // cannot be one; most are not
    }
    JsonNode key = Json.parse("line", line).path("key");
    if (key.isArray() || key.isObject()) {
      CollectionKeys.requireWritable(grant, KvJson.keyOf(key).bytes());
    }
  }
}
