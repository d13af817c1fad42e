package io.kvreactive.index.internal.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.Explanation;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import io.kvreactive.index.QueryPage;
import io.kvreactive.index.QueryUpdate;
import io.kvreactive.index.SqlQuery;
import io.kvreactive.index.internal.exec.Queries;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Until queries are wired. */
final class NoQueries implements Queries {
  private static IndexException none() {
    return new IndexException(IndexErrorCode.INVALID_QUERY, "queries are not wired yet");
  }

  @Override
  public Flux<JsonNode> rows(SqlQuery query) {
    return Flux.error(none());
  }

  @Override
  public Mono<QueryPage<JsonNode>> page(SqlQuery query) {
    return Mono.error(none());
  }

  @Override
  public Mono<Explanation> explain(SqlQuery query) {
    return Mono.error(none());
  }

  @Override
  public Flux<QueryUpdate<JsonNode>> watch(SqlQuery query) {
    return Flux.error(none());
  }
}
