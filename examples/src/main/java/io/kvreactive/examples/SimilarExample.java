package io.kvreactive.examples;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Kv;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.QueryPage;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.examples.run.Launcher;
import io.kvreactive.examples.run.Operands;
import io.kvreactive.examples.run.Progress;
import io.kvreactive.examples.run.Screen;
import io.kvreactive.examples.run.Size;
import io.kvreactive.examples.similar.NameVectors;
import io.kvreactive.examples.similar.NamedCharacter;
import io.kvreactive.examples.similar.NamedCharacters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Stores the characters of Unicode with vectors of their names, and searches for the characters
 * whose names are most similar to a text. Each search runs with the vector index and exactly.
 */
public final class SimilarExample {
  private static final int ALL = 100_000;
  private static final int FOUND = 10;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double ROUNDING = 1e-6;

  private static final List<String> NAMES =
      List.of("snowman", "arrow to the left", "greek small letter alfa", "crying cat", "musical");

  private static final String BY_INDEX =
      """
      SELECT TOP 10 c.id, c.character, c.name, VectorDistance(c.v, @q) AS score FROM c
      ORDER BY VectorDistance(c.v, @q)\
      """;

  private static final String EXACT = BY_INDEX.replace("(c.v, @q)", "(c.v, @q, true)");

  private final NamedCharacters all;
  private final DocumentCollection<NamedCharacter> characters;
  private final Screen screen;
  private final List<Answer> answers = new ArrayList<>();

  private SimilarExample(Kv kv, Screen screen) {
    this.all = new NamedCharacters(kv);
    this.characters = all.characters();
    this.screen = screen;
  }

  /** Minimum number of vectors for which the graph is used. */
  private static final long FEWEST = 1000;

  /** Number of searches of each name before those that are measured: the JVM compiles meanwhile. */
  private static final int WARM_UPS = 10;

  private static final Duration LOOK = Duration.ofMillis(200);
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /** The recall of the index for one query, and the times in milliseconds. */
  private record Answer(double recall, double millis, double exactMillis) {}

  public static void main(String[] args) {
    Integer status =
        new Launcher("similar", Screen.standard())
            .run(
                args, new Size("characters", ALL), new Operands("NAME", NAMES), SimilarExample::run)
            .block();
    System.exit(status == null ? 1 : status);
  }

  /** Runs the example. First deletes the entries of an earlier run. */
  static Mono<Void> run(Kv kv, Screen screen, int characters, List<String> names) {
    SimilarExample example = new SimilarExample(kv, screen);
    return example
        .fill(characters)
        .flatMap(example::built)
        .then(Mono.defer(example::explain))
        .thenMany(Flux.fromIterable(names))
        .concatMap(example::search)
        .then(Mono.fromRunnable(example::summary))
        .then(Mono.defer(example.all::close));
  }

  /** Stores the characters and emits their number. */
  private Mono<Long> fill(int most) {
    Progress shown = new Progress(screen, "storing", Math.min(most, NamedCharacters.count()));
    return all.fill(most)
        .doOnNext(progress -> shown.add(progress.entries() - shown.done()))
        .last()
        .doOnNext(
            stored ->
                screen.line(
                    "%,d characters with vectors of %d numbers in %.1f s",
                    stored.entries(), NameVectors.DIMENSIONS, stored.elapsed().toMillis() / 1e3))
        .map(stored -> stored.entries());
  }

  /** Waits until the graph, which exists from a thousand vectors on, has all vectors. */
  private Mono<Void> built(long stored) {
    if (stored < FEWEST) {
      return Mono.empty();
    }
    Progress shown = new Progress(screen, "indexing", stored);
    return characters
        .explain(query(BY_INDEX, NAMES.get(0)))
        .map(explained -> explained.plan().get("orderBy"))
        .doOnNext(order -> shown.add(order.path("vectorsInMemory").asLong() - shown.done()))
        .filter(
            order ->
                order.path("ready").asBoolean() && order.path("vectorsInMemory").asLong() >= stored)
        .repeatWhenEmpty(looks -> looks.delayElements(LOOK))
        .timeout(PATIENCE)
        .then();
  }

  private Mono<Void> explain() {
    return characters
        .explain(query(BY_INDEX, NAMES.get(0)))
        .doOnNext(
            explained -> {
              JsonNode order = explained.plan().get("orderBy");
              screen.line("");
              screen.line(BY_INDEX);
              screen.line(
                  "  served by %s (%s)",
                  order.get("servedBy").asText(), order.path("kind").asText());
            })
        .then();
  }

  private Mono<Void> search(String name) {
    SqlQuery byIndex = query(BY_INDEX, name);
    SqlQuery exact = query(EXACT, name);
    return Mono.zip(
            characters.page(byIndex, JsonNode.class), characters.page(exact, JsonNode.class))
        .repeat(WARM_UPS - 1)
        .then(characters.page(byIndex, JsonNode.class))
        .zipWhen(found -> characters.page(exact, JsonNode.class))
        .doOnNext(pages -> show(name, pages.getT1(), pages.getT2()))
        .then();
  }

  private static SqlQuery query(String text, String name) {
    return SqlQuery.of(text, Map.of("q", NameVectors.of(name)));
  }

  private void show(String name, QueryPage<JsonNode> found, QueryPage<JsonNode> exact) {
    screen.line("");
    screen.line("%s:", name);
    for (JsonNode row : found.items()) {
      screen.line(
          "  %.3f  U+%s  %s  %s",
          row.get("score").asDouble(),
          row.get("id").asText(),
          row.get("character").asText(),
          row.get("name").asText());
    }
    Answer answer =
        new Answer(
            recall(found.items(), exact.items()),
            millis(found.metrics().totalTime()),
            millis(exact.metrics().totalTime()));
    answers.add(answer);
    screen.line(
        "  recall@10 %.0f %%; %.1f ms by the index, %.1f ms exactly",
        100 * answer.recall(), answer.millis(), answer.exactMillis());
  }

  /**
   * Returns the fraction of the exact rows that were found. Rows with the score of the last exact
   * row count as found.
   */
  private static double recall(List<JsonNode> found, List<JsonNode> exact) {
    if (exact.isEmpty()) {
      return 1;
    }
    double last = exact.get(exact.size() - 1).get("score").asDouble();
    long right =
        found.stream().filter(row -> row.get("score").asDouble() >= last - ROUNDING).count();
    return (double) right / exact.size();
  }

  private void summary() {
    screen.line("");
    screen.line(
        "%d searches: recall@%d %.1f %%; %.1f ms by the index, %.1f ms exactly",
        answers.size(),
        FOUND,
        100 * answers.stream().mapToDouble(Answer::recall).average().orElse(1),
        answers.stream().mapToDouble(Answer::millis).average().orElse(0),
        answers.stream().mapToDouble(Answer::exactMillis).average().orElse(0));
  }

  private static double millis(Duration time) {
    return time.toNanos() / NANOS_PER_MILLI;
  }
}
