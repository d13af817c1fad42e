package io.kvreactive.web.internal.rest;

import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.index.KvIndexOptions;
import io.kvreactive.json.KvJson;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.Operation;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Whether lines of an import may be written by their token: not the keys of collections. */
final class ImportAuthorization {
  private static final String ROOT = '"' + KvIndexOptions.DEFAULT.root() + '"';

  private final Grant grant;
  private long number; // of the line, from 1

  private ImportAuthorization(Grant grant) {
    this.grant = grant;
  }

  /** Throws FORBIDDEN for a line with such a key, with its number; for all lines of one import. */
  static Consumer<String> check(Grant grant) {
    return Operation.mayChangeCollectionKeys(grant)
        ? line -> {}
        : new ImportAuthorization(grant)::check;
  }

  private void check(String line) {
    number++;
    if (!line.contains(ROOT) && line.indexOf('\\') < 0 && !line.contains("$key")) {
      return; // cannot be one; most are not
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
   * Null when the import, which reads it in the same way, is about to say what is wrong with it.
   */
  private static @Nullable KvKey key(String line) {
    try {
      return KvJson.parse(line).key();
    } catch (KvException e) {
      return null;
    }
  }
}
