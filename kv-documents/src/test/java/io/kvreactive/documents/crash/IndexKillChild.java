package io.kvreactive.documents.crash;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.ComputedProperty;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.IndexingMode;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.PatchOperation;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.TransactionalBatch;
import io.kvreactive.documents.UniqueKey;
import io.kvreactive.documents.VectorEmbedding;
import io.kvreactive.documents.VectorIndex;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Writes items and changes indexes until the process is killed; prints the results. */
final class IndexKillChild {
  static final int IDS = 2000;

  static final int PAIR_IDS = 40;

  static final int BULK_ITEMS = 3000;

  /** The items that each round deletes after it has written all. */
  static final SqlQuery ODD =
      SqlQuery.of("SELECT * FROM c WHERE c.odd")
          .withOptions(QueryOptions.DEFAULT.withMaxItemCount(100));

  private static final CollectionDefinition PAIRS =
      CollectionDefinition.DEFAULT.withPartitionKey("/pair").withUniqueKeys(UniqueKey.of("/u"));

  private static final CollectionDefinition VECTORS =
      CollectionDefinition.DEFAULT.withVectorEmbeddings(
          new VectorEmbedding("/e", "float32", 2, "euclidean"));

  private IndexKillChild() {}

  static CollectionDefinition definition(int n) {
    IndexingPolicy policy =
        switch (n % 3) {
          case 0 -> IndexingPolicy.DEFAULT.withIncluded("/cp/?");
          case 1 ->
              IndexingPolicy.DEFAULT
                  .withComposite(CompositePath.ascending("/v"), CompositePath.ascending("/w"))
                  .withComposite(CompositePath.ascending("/cp"), CompositePath.ascending("/w"));
          default -> IndexingPolicy.excludeRoot("/v/?", "/cp/?");
        };
    ComputedProperty computed =
        new ComputedProperty(
            "cp", "SELECT VALUE " + (n % 2 == 0 ? "c.v % 10" : "CONCAT(c.w, c.id)") + " FROM c");
    return VECTORS
        .withIndexingPolicy(policy.withVector(new VectorIndex("/e", "flat")))
        .withComputedProperties(computed);
  }

  /** Returns a mostly lazy definition, so that kills hit lagging, changing and complete indexes. */
  static CollectionDefinition lazy(int n) {
    CollectionDefinition any = definition(n / 2);
    return n % 4 == 3
        ? any
        : any.withIndexingPolicy(any.indexingPolicy().withIndexingMode(IndexingMode.LAZY));
  }

  public static void main(String[] args) {
    Kv kv = Kv.open(Vertx.vertx(), KvOptions.at(Path.of(args[0]))).block();
    DocumentStore index = DocumentStore.over(kv, DocumentStoreOptions.DEFAULT.withAllowLazy(true));
    DocumentCollection<JsonNode> lagging = open(index, "lazy", lazy(0));
    Flux.interval(Duration.ofMillis(1100))
        .onBackpressureDrop()
        .concatMap(n -> lagging.replaceDefinition(lazy((int) (n + 1))).next(), 1)
        .subscribe();
    DocumentCollection<JsonNode> items = open(index, "c", definition(0));
    System.out.println("open " + items.info().block().transformation().percent());
    Flux.interval(Duration.ofMillis(300))
        .onBackpressureDrop()
        .concatMap(n -> items.replaceDefinition(definition((int) (n + 1))).next(), 1)
        .subscribe();
    DocumentCollection<JsonNode> pairs = open(index, "pairs", PAIRS);
    Flux.range(0, Integer.MAX_VALUE)
        .concatMap(i -> pair(pairs, ThreadLocalRandom.current().nextInt(PAIR_IDS)), 1)
        .subscribe(System.out::println);
    DocumentCollection<JsonNode> bulk = open(index, "bulk", CollectionDefinition.DEFAULT);
    Flux.range(Integer.parseInt(args[1]), 1_000_000)
        .concatMap(round -> bulk(bulk, round), 1)
        .subscribe(System.out::println);
    Flux.generate(sink -> sink.next(ThreadLocalRandom.current().nextInt(IDS)))
        .cast(Integer.class)
        .flatMap(
            i -> Flux.concat(write(items, i), write(lagging, i).map(answer -> "l" + answer)), 16)
        .doOnNext(System.out::println)
        .blockLast();
  }

  /** Changes a pair of items with one batch: both have the same number, or none exists. */
  private static Mono<String> pair(DocumentCollection<JsonNode> pairs, int i) {
    PartitionKey partition = PartitionKey.of(i);
    int n = ThreadLocalRandom.current().nextInt(1000);
    TransactionalBatch batch = TransactionalBatch.of(partition);
    String tail = i % 2 == 0 ? "" : "x".repeat(300); // long ids have keys of another form
    for (String id : List.of("a" + tail, "b" + tail)) {
      batch =
          batch
              .upsert(
                  JsonNodeFactory.instance
                      .objectNode()
                      .put("id", id)
                      .put("pair", i)
                      .put("u", id.charAt(0) + "-" + i + (n % 2 == 0 ? "" : "x")))
              .patch(id, new PatchOperation.Increment("/n", n));
    }
    TransactionalBatch chosen = n % 5 == 0 ? batch.delete("a" + tail).delete("b" + tail) : batch;
    return pairs.execute(chosen).map(done -> "p" + i + " " + done.versionstamp());
  }

  /** Writes all items and deletes the odd ones; emits the progress of both. */
  static Flux<String> bulk(DocumentCollection<JsonNode> items, int round) {
    Flux<JsonNode> all =
        Flux.range(0, BULK_ITEMS)
            .map(
                i ->
                    JsonNodeFactory.instance
                        .objectNode()
                        .put("id", "b" + i)
                        .put("odd", i % 2 == 1)
                        .put("round", round));
    return Flux.concat(
        items.upsertMany(all).map(done -> "upserted " + round + " " + done.entries()),
        items.deleteMany(ODD).map(done -> "deleted " + round + " " + done.deleted()));
  }

  private static DocumentCollection<JsonNode> open(
      DocumentStore index, String name, CollectionDefinition definition) {
    index.collection(name, JsonNode.class, definition).read("x").onErrorComplete().block();
    return index.collection(name, JsonNode.class);
  }

  private static Mono<String> write(DocumentCollection<JsonNode> items, int i) {
    if (i % 7 == 0) {
      return items.delete("i" + i).thenReturn("deleted");
    }
    int v = ThreadLocalRandom.current().nextInt(1000);
    return items
        .upsert(
            JsonNodeFactory.instance
                .objectNode()
                .put("id", "i" + i)
                .put("v", v)
                .put("w", "w" + v % 5)
                .set("e", JsonNodeFactory.instance.arrayNode().add(v).add(i)))
        .map(item -> "i" + i + " " + item.etag());
  }
}
