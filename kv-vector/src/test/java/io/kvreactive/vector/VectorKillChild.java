package io.kvreactive.vector;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentStore;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Writes and deletes items with vectors until the process is killed, in a collection for each type
 * of index; prints a line when all of them have a write.
 */
final class VectorKillChild {
  private static final int IDS = 2000;

  private VectorKillChild() {}

  /** Arguments: the store; the seed; the types of the indexes. */
  public static void main(String[] args) {
    Kv kv = Kv.open(Vertx.vertx(), KvOptions.at(Path.of(args[0]))).block();
    DocumentStore index = DocumentStore.over(kv);
    List<DocumentCollection<JsonNode>> collections =
        Arrays.stream(args)
            .skip(2)
            .map(
                type ->
                    index.collection(
                        name(type), JsonNode.class, VectorItems.definition(type, "euclidean")))
            .toList();
    Random random = new Random(Long.parseLong(args[1]));
    RandomVectors vectors = RandomVectors.clustered(random.nextLong(), VectorItems.DIMENSIONS);
    Flux.<Mono<?>>generate(sink -> sink.next(write(collections, random, vectors)))
        .flatMap(write -> write, 16)
        .doOnNext(System.out::println)
        .doOnError(failure -> Runtime.getRuntime().halt(1)) // else Vert.x keeps the process
        .blockLast();
  }

  /** Returns the name of the collection with a type of index. */
  static String name(String type) {
    return type.replace(' ', '-');
  }

  private static Mono<?> write(
      List<DocumentCollection<JsonNode>> collections, Random random, RandomVectors vectors) {
    List<Mono<String>> writes =
        collections.stream().map(items -> write(items, random, vectors)).toList();
    return Flux.merge(writes).collectList();
  }

  private static Mono<String> write(
      DocumentCollection<JsonNode> items, Random random, RandomVectors vectors) {
    int id = random.nextInt(IDS);
    return random.nextInt(7) == 0
        ? items
            .delete("i" + id)
            .map(gone -> "deleted")
            .onErrorResume(DocumentException.class, absent -> Mono.just("absent"))
        : items.upsert(VectorItems.item(id, vectors.next())).map(item -> item.id());
  }
}
