package io.kvreactive.vector;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.index.DocumentCollection;
import io.kvreactive.index.DocumentStore;
import io.kvreactive.index.IndexException;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.Random;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Writes and deletes items with vectors until the process is killed; prints a line per write. */
final class VectorKillChild {
  static final String NAME = "c";
  private static final int IDS = 2000;

  private VectorKillChild() {}

  public static void main(String[] args) {
    Kv kv = Kv.open(Vertx.vertx(), KvOptions.at(Path.of(args[0]))).block();
    DocumentStore index = DocumentStore.over(kv);
    DocumentCollection<JsonNode> items =
        index.collection(NAME, JsonNode.class, VectorItems.definition(args[2], "euclidean"));
    Random random = new Random(Long.parseLong(args[1]));
    RandomVectors vectors = RandomVectors.clustered(random.nextLong(), VectorItems.DIMENSIONS);
    Flux.<Mono<String>>generate(sink -> sink.next(write(items, random, vectors)))
        .flatMap(write -> write, 16)
        .doOnNext(System.out::println)
        .doOnError(failure -> Runtime.getRuntime().halt(1)) // else Vert.x keeps the process
        .blockLast();
  }

  private static Mono<String> write(
      DocumentCollection<JsonNode> items, Random random, RandomVectors vectors) {
    int id = random.nextInt(IDS);
    return random.nextInt(7) == 0
        ? items
            .delete("i" + id)
            .map(gone -> "deleted")
            .onErrorResume(IndexException.class, absent -> Mono.just("absent"))
        : items.upsert(VectorItems.item(id, vectors.next())).map(item -> item.id());
  }
}
