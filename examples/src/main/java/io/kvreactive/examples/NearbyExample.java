package io.kvreactive.examples;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Kv;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.QueryPage;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.examples.nearby.Place;
import io.kvreactive.examples.nearby.Places;
import io.kvreactive.examples.run.Launcher;
import io.kvreactive.examples.run.Progress;
import io.kvreactive.examples.run.Screen;
import io.kvreactive.examples.run.Size;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Stores the cities of the time zone database and random points, and runs spatial queries: within a
 * radius, within a shape across the date line, and the nearest. Each query runs with the index and
 * without.
 */
public final class NearbyExample {
  private static final int SHOWN = 3;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final Map<String, Object> BERLIN =
      Map.of("type", "Point", "coordinates", List.of(13.4, 52.5));

  private static final List<SqlQuery> QUESTIONS =
      List.of(
          SqlQuery.of(
              """
              SELECT c.id, ST_DISTANCE(c.location, @here) AS metres FROM c
              WHERE ST_DISTANCE(c.location, @here) < 300000 AND c.kind = "city\"\
              """,
              Map.of("here", BERLIN)),
          SqlQuery.of(
              "SELECT VALUE COUNT(1) FROM c WHERE ST_DISTANCE(c.location, @here) < 100000",
              Map.of("here", BERLIN)),
          SqlQuery.of(
              """
              SELECT TOP 3 c.id, ST_DISTANCE(c.location, @here) AS metres FROM c
              ORDER BY ST_DISTANCE(c.location, @here)\
              """,
              Map.of("here", BERLIN)),
          SqlQuery.of(
              """
              SELECT VALUE c.id FROM c WHERE c.kind = "city" AND ST_WITHIN(c.location, {
                "type": "Polygon",
                "coordinates": [[[160, -20], [-160, -20], [-160, 20], [160, 20], [160, -20]]]})\
              """));

  private final Places all;
  private final DocumentCollection<Place> places;
  private final Screen screen;

  private NearbyExample(Kv kv, Screen screen) {
    this.all = new Places(kv);
    this.places = all.places();
    this.screen = screen;
  }

  public static void main(String[] args) {
    Integer status =
        new Launcher("nearby", Screen.standard())
            .run(args, new Size("points", 1_000_000), NearbyExample::run)
            .block();
    System.exit(status == null ? 1 : status);
  }

  /** Runs the example. First deletes the entries of an earlier run. */
  static Mono<Void> run(Kv kv, Screen screen, int points) {
    NearbyExample example = new NearbyExample(kv, screen);
    return example
        .fill(points)
        .thenMany(Flux.fromIterable(QUESTIONS))
        .concatMap(example::ask)
        .then(Mono.defer(example.all::close));
  }

  private Mono<Void> fill(int points) {
    Progress shown = new Progress(screen, "storing", points);
    return all.fill(points)
        .doOnNext(progress -> shown.add(progress.entries() - shown.done()))
        .last()
        .doOnNext(
            stored ->
                screen.line(
                    "%,d places with their index entries in %.1f s",
                    stored.entries(), stored.elapsed().toMillis() / 1e3))
        .then();
  }

  private Mono<Void> ask(SqlQuery question) {
    SqlQuery scan = question.withOptions(question.options().withForceScan(true));
    return Mono.zip(
            places.page(question, JsonNode.class), // warms up the JVM
            places.page(question, JsonNode.class),
            places.page(scan, JsonNode.class),
            places.explain(question))
        .doOnNext(
            answers -> {
              QueryPage<JsonNode> page = answers.getT2();
              screen.line("");
              screen.line(question.text());
              page.items().stream().limit(SHOWN).forEach(row -> screen.line("  " + row));
              if (page.items().size() > SHOWN) {
                screen.line("  … %,d rows", page.items().size());
              }
              JsonNode plan = answers.getT4().plan();
              screen.line(
                  "  %.1f ms by %s, %,d items read; %.1f ms by a scan",
                  millis(page.metrics().totalTime()),
                  plan.at("/access/0/index").asText(plan.at("/orderBy/servedBy").asText()),
                  page.metrics().retrievedItems(),
                  millis(answers.getT3().metrics().totalTime()));
            })
        .then();
  }

  private static double millis(Duration time) {
    return time.toNanos() / NANOS_PER_MILLI;
  }
}
