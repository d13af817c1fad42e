package io.kvreactive.web.internal.collections;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvOptions;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.rest.Rest;
import io.kvreactive.web.internal.rest.TestServerContext;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Other callers are answered while the queries of one caller compute with large shapes. */
@ExtendWith(VertxExtension.class)
class LargeShapesRestTest {
  private static final int MAX_POSITIONS = 4096;
  private static final int QUERIES = 8;
  private static final String PLACES = "/collections/places";
  private static final String KEY = Rest.key("k");

  private static TestServerContext site;
  private static Rest attacker;
  private static Rest other;

  @BeforeAll
  static void start(Vertx vertx) throws Exception {
    site =
        new TestServerContext(
            vertx,
            KvOptions.inMemory(),
            RoutesOptions.DEFAULT,
            TestServerContext.tokens(Grant.all("attacker"), Grant.all("other")));
    attacker = site.rest().as("attacker");
    other = site.rest().as("other");
    other.put(KEY, "1").is(200);
    other
        .ask(
            "PUT",
            PLACES,
            Rest.body("{\"indexingPolicy\":{\"excludedPaths\":[{\"path\":\"/*\"}]}}"))
        .is(201);
    other.post(PLACES + "/items", "{\"id\":\"small\"}").is(201);
    String numbers =
        IntStream.range(0, 10_000).mapToObj(Integer::toString).collect(Collectors.joining(","));
    attacker
        .post(
            PLACES + "/items",
            "{\"id\":\"star\",\"star\":%s,\"n\":[%s]}".formatted(star(0), numbers))
        .is(201);
  }

  @AfterAll
  static void stop() {
    site.close();
  }

  /** Returns a polygon whose edges go to and fro between two circles. */
  private static String star(double turn) {
    List<String> ring = new ArrayList<>();
    for (int i = 0; i < MAX_POSITIONS - 1; i++) {
      double angle = 2 * Math.PI * (i + turn) / (MAX_POSITIONS - 1);
      double radius = i % 2 == 0 ? 10 : 1;
      ring.add("[%s,%s]".formatted(radius * Math.cos(angle), radius * Math.sin(angle)));
    }
    ring.add(ring.get(0));
    return "{\"type\":\"Polygon\",\"coordinates\":[%s]}".formatted(ring);
  }

  private static List<CompletableFuture<HttpResponse<String>>> query() {
    String query =
        """
        {"query": "SELECT VALUE COUNT(1) FROM c JOIN n IN c.n WHERE ST_WITHIN(c.star, @star)",
         "parameters": [{"name": "@star", "value": %s}]}
        """
            .formatted(star(0.5));
    HttpRequest request = attacker.request("POST", PLACES + "/query", Rest.body(query));
    return Stream.generate(() -> Rest.client().sendAsync(request, BodyHandlers.ofString()))
        .limit(QUERIES)
        .toList();
  }

  /** Waits until as many queries compute with shapes as may at a time. */
  private static void awaitShapes() throws InterruptedException {
    long end = System.nanoTime() + TestServer.TIMEOUT.toNanos();
    while (Thread.getAllStackTraces().entrySet().stream()
            .filter(
                each ->
                    each.getKey().getName().startsWith("kv-documents-queries")
                        && Arrays.stream(each.getValue())
                            .anyMatch(frame -> frame.getClassName().contains(".spatial.")))
            .count()
        < Math.max(2, Runtime.getRuntime().availableProcessors())) {
      assertThat(System.nanoTime()).isLessThan(end);
      Thread.sleep(1);
    }
  }

  @Test
  void answersOthers() throws Exception {
    List<CompletableFuture<HttpResponse<String>>> hostile = query();
    try {
      awaitShapes();
      other.get("/entry?key=" + KEY).is(200);
      other.get(PLACES + "/items/small").is(200);
      other.post(PLACES + "/query", "{\"query\":\"SELECT VALUE COUNT(1) FROM c\"}").is(200);
      other.ask("PUT", PLACES + "/items/small", Rest.body("{}")).is(200);
      assertThat(hostile).noneMatch(CompletableFuture::isDone);
    } finally {
      hostile.forEach(each -> each.cancel(true));
    }
  }
}
