package io.kvreactive.index.internal.exec;

import java.util.List;
import reactor.core.publisher.Mono;

/** Rows in the order of the answer, before DISTINCT, OFFSET and LIMIT. Calls follow each other. */
interface RowStream {
  /** At most so many rows; there may be none though it is not done. */
  Mono<List<ResultRow>> next(int wanted);

  boolean done();
}
