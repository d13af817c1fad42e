package io.kvreactive.bench.index;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Kv;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.CompositePath;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.QueryOptions;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.TransformationProgress;
import java.util.List;
import java.util.Map;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The collections of the measurement: one that is queried, and one that grows. */
public final class IndexSide {
  static final String POINT = "SELECT * FROM c WHERE c.email = @e";
  static final String RANGE =
      "SELECT TOP 20 * FROM c WHERE c.city = @c AND c.age > @a ORDER BY c.city, c.age";

  /** An index of each path of {@link People#INDEXED}. */
  static final IndexingPolicy PATHS =
      IndexingPolicy.excludeRoot(
          People.INDEXED.stream()
              .map(path -> "/" + path.replace('.', '/') + "/?")
              .toArray(String[]::new));

  private static final IndexingPolicy ASKED =
      PATHS.withComposite(CompositePath.ascending("/city"), CompositePath.ascending("/age"));
  private static final IndexingPolicy MORE =
      ASKED.withComposite(CompositePath.ascending("/name"), CompositePath.ascending("/age"));

  private final DocumentCollection<JsonNode> people;
  private final DocumentCollection<JsonNode> growing;

  /** Declares the collections, which are created by the first document. */
  public IndexSide(Kv kv) {
    DocumentStore index = DocumentStore.over(kv);
    people = index.collection("people", JsonNode.class, ASKED);
    growing = index.collection("growing", JsonNode.class, PATHS);
  }

  /** Adds a document to the queried collection. */
  Mono<?> create(int number) {
    return people.create(People.document(number));
  }

  /** Adds a document to the growing collection, whose indexes have one path each. */
  public Mono<?> grow(int number) {
    return growing.create(People.document(number));
  }

  Mono<JsonNode> point(int number) {
    return people.query(POINT, Map.of("@e", People.email(number))).single();
  }

  Mono<List<JsonNode>> range(String city, int above) {
    return people.query(RANGE, Map.of("@c", city, "@a", above)).collectList();
  }

  /** Emits the rows of {@link #range} by reading every document. */
  Mono<List<JsonNode>> scan(String city, int above) {
    SqlQuery query =
        SqlQuery.of(RANGE, Map.of("@c", city, "@a", above))
            .withOptions(QueryOptions.DEFAULT.withForceScan(true));
    return people.query(query, JsonNode.class).collectList();
  }

  /** Adds a composite index to the queried collection. Completes when the index is in use. */
  Flux<TransformationProgress> build() {
    return people.replaceDefinition(CollectionDefinition.DEFAULT.withIndexingPolicy(MORE));
  }

  /** Removes the composite index and its entries. */
  Flux<TransformationProgress> drop() {
    return people.replaceDefinition(CollectionDefinition.DEFAULT.withIndexingPolicy(ASKED));
  }
}
