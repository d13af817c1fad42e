package io.kvreactive.spatial;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.index.CollectionDefinition;
import io.kvreactive.index.DocumentCollection;
import io.kvreactive.index.DocumentStore;
import io.kvreactive.index.IndexingPolicy;
import io.kvreactive.index.SpatialIndex;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Writes shapes, adds and removes a spatial index until the process is killed; prints a line per
 * write.
 */
final class SpatialKillChild {
  static final String NAME = "c";
  private static final int IDS = 500;

  private SpatialKillChild() {}

  static CollectionDefinition definition(boolean spatial) {
    return CollectionDefinition.DEFAULT.withIndexingPolicy(
        spatial
            ? IndexingPolicy.DEFAULT.withSpatial(
                SpatialIndex.of("/place/?", "Point", "LineString", "Polygon"))
            : IndexingPolicy.DEFAULT);
  }

  public static void main(String[] args) {
    Kv kv = Kv.open(Vertx.vertx(), KvOptions.at(Path.of(args[0]))).block();
    DocumentStore index = DocumentStore.over(kv);
    index.collection(NAME, JsonNode.class, definition(true)).read("x").onErrorComplete().block();
    DocumentCollection<JsonNode> items = index.collection(NAME, JsonNode.class);
    Flux.interval(Duration.ofMillis(400))
        .onBackpressureDrop()
        .concatMap(n -> items.replaceDefinition(definition(n % 2 == 1)).next(), 1)
        .subscribe();
    Random random = new Random(Long.parseLong(args[1]));
    RandomShapes shapes = new RandomShapes(random);
    Flux.<Mono<String>>generate(sink -> sink.next(write(items, random.nextInt(IDS), shapes)))
        .flatMap(write -> write, 16)
        .doOnNext(System.out::println)
        .doOnError(failure -> Runtime.getRuntime().halt(1)) // else Vert.x keeps the process
        .blockLast();
  }

  private static Mono<String> write(
      DocumentCollection<JsonNode> items, int id, RandomShapes shapes) {
    return id % 7 == 0
        ? items.delete("i" + id).thenReturn("deleted")
        : items.upsert(SpatialQueriesTest.item(id, shapes.any())).map(item -> item.id());
  }
}
