package io.kvreactive.web.internal.collections;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.CommitResult;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.web.ChangedEngine;
import io.kvreactive.web.internal.rest.Rest;
import io.kvreactive.web.internal.rest.TestServerContext;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The answer of a long deletion begins while it goes on. */
@ExtendWith(VertxExtension.class)
class DeletionProgressRestTest {
  private static final int ITEMS = 700;
  private static final String ITEM = "{\"id\":\"i%d\",\"city\":\"Oslo\"}\n";

  /** Enough for the first progress, and less than all. */
  private static final int ANSWERED_COMMITS = 400;

  private final TestServerContext site;
  private final AtomicInteger commits = new AtomicInteger(Integer.MIN_VALUE);
  private final Sinks.Empty<Void> rest = Sinks.empty();

  DeletionProgressRestTest(Vertx vertx) throws Exception {
    site = new TestServerContext(vertx, this::answeringSome);
  }

  @AfterEach
  void close() {
    site.close();
  }

  /** Returns an engine whose later commits are answered when the test says so. */
  private KvEngine answeringSome(KvEngine engine) {
    return ChangedEngine.of(
        engine,
        "commit",
        (Mono<CommitResult> commit) ->
            commits.incrementAndGet() > ANSWERED_COMMITS
                ? commit.delayUntil(result -> rest.asMono())
                : commit);
  }

  @Test
  void beginsWithTheFirstItems() throws Exception {
    site.rest()
        .ask("PUT", "/collections/c", Rest.body("{\"partitionKey\":{\"paths\":[\"/city\"]}}"))
        .is(201);
    String items =
        IntStream.range(0, ITEMS).mapToObj(ITEM::formatted).collect(Collectors.joining());
    site.rest().post("/collections/c/load", items, "Content-Type", "application/x-ndjson").is(200);
    commits.set(0);
    HttpRequest delete =
        site.rest()
            .request(
                "DELETE",
                "/collections/c/partition?partitionKey=%22Oslo%22",
                null,
                "Accept",
                "application/x-ndjson");
    HttpResponse<InputStream> answer =
        Rest.client().send(delete, HttpResponse.BodyHandlers.ofInputStream());
    assertThat(answer.statusCode()).isEqualTo(200);
    rest.tryEmitEmpty().orThrow();
    assertThat(new String(answer.body().readAllBytes(), UTF_8).lines().toList())
        .last()
        .asString()
        .startsWith("{\"done\":true,\"deleted\":" + ITEMS);
  }
}
