package io.kvreactive.web.internal.rest;

import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.index.DocumentStoreOptions;
import io.kvreactive.json.KvJson;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.Operation;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Checks that a token may write the lines of an import: without ADMIN access, no keys of
 * collections.
 */
final class ImportAuthorization {
  private static final String ROOT = '"' + DocumentStoreOptions.DEFAULT.root() + '"';

  private final Grant grant;
  private long number; // number of the line, from 1

  private ImportAuthorization(Grant grant) {
    this.grant = grant;
  }

  /**
   * Returns a check of all lines of one import. It throws FORBIDDEN with the line number for a key
   * of collections.
   */
  static Consumer<String> check(Grant grant) {
    return Operation.mayChangeCollectionKeys(grant)
        ? line -> {}
        : new ImportAuthorization(grant)::check;
  }

  private void check(String line) {
    number++;
    if (!line.contains(ROOT) && line.indexOf('\\') < 0 && !line.contains("$key")) {
      return; // most lines cannot have such a key
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

  /**
   * Returns the key of a line; null for a malformed one, which the import itself is about to
   * reject.
   */
  private static @Nullable KvKey key(String line) {
    try {
      return KvJson.parse(line).key();
    } catch (KvException e) {
      return null;
    }
  }
}
