package io.kvreactive.index.internal.exec;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.Explanation;
import io.kvreactive.index.QueryPage;
import io.kvreactive.index.QueryUpdate;
import io.kvreactive.index.SqlQuery;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The queries of one collection, with rows as JSON; see {@code DocumentCollection} for the
 * contracts.
 */
public interface Queries {
  Flux<JsonNode> rows(SqlQuery query);

  Mono<QueryPage<JsonNode>> page(SqlQuery query);

  Mono<Explanation> explain(SqlQuery query);

  Flux<QueryUpdate<JsonNode>> watch(SqlQuery query);
}
