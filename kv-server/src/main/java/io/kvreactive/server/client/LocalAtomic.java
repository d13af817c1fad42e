package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.spi.Commit;
import io.kvreactive.web.RestJson;
import io.kvreactive.web.WebException;
import java.util.function.LongSupplier;

/** Parses commits for a local store, from the JSON of {@code POST /api/v1/atomic}. */
final class LocalAtomic {
  private LocalAtomic() {}

  /**
   * Parses a commit as the server does.
   *
   * @param clock the clock of the store, in milliseconds since 1970
   */
  static Commit read(ObjectNode operation, LongSupplier clock) {
    try {
      return RestJson.parseCommit(operation, "atomic operation", clock);
    } catch (WebException e) {
      throw new KvException(KvErrorCode.INVALID_ARGUMENT, e.detail(), e);
    }
  }
}
