package io.kvreactive.web.internal.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.CompactionProgress;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.web.ChangedEngine;
import io.kvreactive.web.LogOf;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Long operations that fail after their answer has begun. */
@ExtendWith(VertxExtension.class)
class BrokenWorkTest {
  private final TestServerContext site;

  BrokenWorkTest(Vertx vertx) throws Exception {
    site = new TestServerContext(vertx, BrokenWorkTest::breaking);
  }

  @AfterEach
  void close() {
    site.close();
  }

  /** Returns an engine whose compactions fail after their first progress. */
  private static KvEngine breaking(KvEngine engine) {
    return ChangedEngine.of(
        engine,
        "compact",
        (Flux<CompactionProgress> unused) ->
            Flux.concat(
                Flux.just(new CompactionProgress(1, 2, 3, 4, false)),
                Mono.error(new KvException(KvErrorCode.DISK_FULL, "/disk/image.db"))));
  }

  @Test
  void refersTheCallerToTheLogEntry() {
    LogOf.begin();
    List<JsonNode> lines = site.rest().ask("POST", "/compact", null).is(200).lines();
    assertThat(lines).hasSize(2);
    JsonNode error = lines.get(1).get("error");
    assertThat(error.get("code").asText()).isEqualTo("DISK_FULL");
    assertThat(error.get("detail").asText()).doesNotContain("image.db");
    assertThat(LogOf.errors()).anyMatch(e -> e.contains(error.get("requestId").asText()));
  }
}
