package io.kvreactive.web.internal.rest;

import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.json.KvJson;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.Operation;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Authorizes the lines of an import. A token without ADMIN access must not write keys of
 * collections.
 */
final class ImportAuthorization {
  private static final String ROOT = '"' + DocumentStoreOptions.DEFAULT.root() + '"';

  private final Grant grant;
  private long number; // number of the current line, from 1

  private ImportAuthorization(Grant grant) {
    this.grant = grant;
  }

  /**
   * Returns a check of all lines of one import, to be called in their order. The check throws
   * FORBIDDEN with the line number for a key of collections.
   */
  static Consumer<String> check(Grant grant) {
    return Operation.mayChangeCollectionKeys(grant)
        ? line -> {}
        : new ImportAuthorization(grant)::check;
  }

  private void check(String line) {
    number++;
    if (!line.contains(ROOT) && line.indexOf('\\') < 0 && !line.contains("$key")) {
      return; // fast path: the line cannot have a key of collections
    }
    KvKey key = key(number == 1 ? LineText.withoutMark(line) : line);
    if (key == null) {
      return;
    }
    try {
      Operation.CHANGE.authorizeKey(grant, key.bytes());
    } catch (KvException e) {
      throw new KvException(e.code(), "line " + number + ": " + e.detail(), e);
    }
  }

  /** Returns the key of a line; null for a malformed line, which the import will reject. */
  private static @Nullable KvKey key(String line) {
    try {
      return KvJson.parse(line).key();
    } catch (KvException e) {
      return null;
    }
  }
}
