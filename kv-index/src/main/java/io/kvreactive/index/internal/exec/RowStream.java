package io.kvreactive.index.internal.exec;

import java.util.List;
import reactor.core.publisher.Mono;

/**
 * A stream of rows in the order of the answer, before DISTINCT, OFFSET and LIMIT. Calls must not
 * overlap.
 */
interface RowStream {
  /** Emits about {@code wanted} rows, perhaps more; may emit an empty list before the end. */
  Mono<List<ResultRow>> next(int wanted);

  boolean done();
}
