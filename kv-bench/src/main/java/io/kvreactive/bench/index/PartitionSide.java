package io.kvreactive.bench.index;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvRecord;
import io.kvreactive.ListOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.ChangeFeedOptions;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.QueryPage;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.TransactionalBatch;
import java.util.List;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A collection with a partition key, and the same documents below a hand-written prefix. */
final class PartitionSide {
  /** Number of documents of each partition. */
  static final int SIZE = 100;

  /** Number of documents that a batch creates. */
  static final int BATCH = 10;

  private final Kv kv;
  private final DocumentCollection<JsonNode> customers;

  PartitionSide(Kv kv) {
    this.kv = kv;
    customers =
        DocumentStore.over(kv)
            .collection(
                "customers",
                JsonNode.class,
                CollectionDefinition.DEFAULT
                    .withPartitionKey(List.of("/customer"))
                    .withIndexingPolicy(IndexSide.PATHS));
  }

  private static String customer(int partition) {
    return "customer" + partition;
  }

  private static JsonNode document(String customer, int number) {
    return People.document(number).put("customer", customer);
  }

  /** Stores the documents of some partitions on both sides. */
  Flux<?> load(int partitions) {
    Flux<Integer> numbers = Flux.range(0, partitions * SIZE);
    return Flux.concat(
        customers.load(numbers.map(number -> document(customer(number / SIZE), number))),
        kv.load(
            numbers.map(
                number ->
                    KvRecord.of(
                        KvKey.of("plain", "of", customer(number / SIZE), People.id(number)),
                        document(customer(number / SIZE), number).toString().getBytes(UTF_8)))));
  }

  /** Emits all documents of a partition, with what was read for them. */
  Mono<QueryPage<JsonNode>> query(int partition) {
    QueryOptions options =
        QueryOptions.DEFAULT.withPartitionKey(PartitionKey.of(customer(partition)));
    return customers.page(SqlQuery.of("SELECT * FROM c").withOptions(options), JsonNode.class);
  }

  /** Emits the same documents by a list of their prefix. */
  Mono<List<JsonNode>> list(int partition) {
    KvRange range = KvRange.prefix("plain", "of", customer(partition));
    return kv.list(range, ListOptions.DEFAULT, byte[].class)
        .map(KvEntry::required)
        .map(People::parse)
        .collectList();
  }

  /** Creates one document. */
  Mono<?> create(int number) {
    return customers.create(document("single" + number % SIZE, number));
  }

  /**
   * Creates the given and the following documents with one batch, and emits an element for each.
   */
  Flux<?> batch(int number) {
    String customer = "batch" + number / BATCH % SIZE;
    TransactionalBatch batch = TransactionalBatch.of(PartitionKey.of(customer));
    for (int i = 0; i < BATCH; i++) {
      batch = batch.create(document(customer, number + i));
    }
    return customers.execute(batch).flatMapIterable(result -> result.results());
  }

  /** Emits the newest version. */
  Mono<Versionstamp> newest() {
    return query(0).map(QueryPage::snapshot);
  }

  /** Emits a number of changes after a version, with all versions and deletes. */
  Flux<?> changes(Versionstamp since, int count) {
    return customers
        .changeFeed(ChangeFeedOptions.ALL.withSince(since))
        .flatMapIterable(changes -> changes.changes())
        .take(count);
  }

  /** Starts consumers, each of a partition of its own in which nothing changes. */
  Disposable idleConsumers(int count) {
    Disposable.Composite consumers = Disposables.composite();
    for (int i = 0; i < count; i++) {
      ChangeFeedOptions options =
          ChangeFeedOptions.ALL.withPartitionKey(PartitionKey.of("idle" + i));
      consumers.add(customers.changeFeed(options).subscribe());
    }
    return consumers;
  }
}
