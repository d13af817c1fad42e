package io.kvreactive.spatial;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.SpatialIndex;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Writes and deletes shapes until the process is killed; prints a line per write. With the argument
 * {@code rebuild}, the spatial index is removed and added again and again meanwhile.
 */
final class SpatialKillChild {
  static final String NAME = "c";
  private static final int IDS = 500;

  private SpatialKillChild() {}

  static CollectionDefinition definition(boolean spatial) {
    return CollectionDefinition.DEFAULT.withIndexingPolicy(
        spatial
            ? IndexingPolicy.DEFAULT.withSpatial(
                SpatialIndex.of("/place/?", "Point", "LineString", "Polygon", "MultiPolygon"))
            : IndexingPolicy.DEFAULT);
  }

  public static void main(String[] args) {
    Kv kv = Kv.open(Vertx.vertx(), KvOptions.at(Path.of(args[0]))).block();
    DocumentStore index = DocumentStore.over(kv);
    index.collection(NAME, JsonNode.class, definition(true)).read("x").onErrorComplete().block();
    DocumentCollection<JsonNode> items = index.collection(NAME, JsonNode.class);
    if (args[2].equals("rebuild")) {
      Flux.interval(Duration.ofMillis(400))
          .onBackpressureDrop()
          .concatMap(n -> items.replaceDefinition(definition(n % 2 == 1)).next(), 1)
          .subscribe();
    }
    Random random = new Random(Long.parseLong(args[1]));
    RandomShapes shapes = new RandomShapes(random);
    Flux.<Mono<String>>generate(sink -> sink.next(write(items, random, shapes)))
        .flatMap(write -> write, 16)
        .doOnNext(System.out::println)
        .doOnError(failure -> Runtime.getRuntime().halt(1)) // else Vert.x keeps the process
        .blockLast();
  }

  private static Mono<String> write(
      DocumentCollection<JsonNode> items, Random random, RandomShapes shapes) {
    int id = random.nextInt(IDS);
    return random.nextInt(7) == 0
        ? items.delete("i" + id).thenReturn("deleted")
        : items.upsert(SpatialQueriesTest.item(id, shapes.any())).map(item -> item.id());
  }
}
