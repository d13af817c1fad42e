package io.kvreactive.examples.catalog;

import io.kvreactive.Kv;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.Definitions;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.TransformationProgress;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A collection of products with its indexing policy. */
public final class Catalogue {
  private static final String NAME = "catalogue";
  private static final int WRITES_AT_ONCE = 256;

  /**
   * The policy that indexes everything but the title, and a tag's facet and value also together.
   */
  private static final String POLICY =
      """
      {
        "includedPaths": [{"path": "/*"}, {"path": "/tags/[]/{facet, value}/?"}],
        "excludedPaths": [{"path": "/title/?"}, {"path": "/\\"_etag\\"/?"}]
      }
      """;

  /** The policy with a composite index by section and size in addition. */
  private static final String POLICY_WITH_ORDER =
      """
      {
        "includedPaths": [{"path": "/*"}, {"path": "/tags/[]/{facet, value}/?"}],
        "excludedPaths": [{"path": "/title/?"}, {"path": "/\\"_etag\\"/?"}],
        "compositeIndexes": [[{"path": "/section"}, {"path": "/size", "order": "descending"}]]
      }
      """;

  private final DocumentStore documents;
  private final DocumentCollection<Product> products;

  public Catalogue(Kv kv) {
    documents = DocumentStore.over(kv);
    products = documents.collection(NAME, Product.class);
  }

  /** Returns the collection. */
  public DocumentCollection<Product> products() {
    return products;
  }

  /** Adds the composite index while the collection is in use. Emits the progress. */
  public Flux<TransformationProgress> addOrder() {
    return products.replaceDefinition(definition(POLICY_WITH_ORDER));
  }

  /** Emits the number of stored products; 0 if the collection does not exist. */
  public Mono<Long> stored() {
    return documents
        .describe(NAME)
        .flatMap(
            found ->
                products.query(SqlQuery.of("SELECT VALUE COUNT(1) FROM c"), Long.class).single())
        .defaultIfEmpty(0L);
  }

  /** Removes the composite index, so that it can be added again. */
  public Mono<Void> removeOrder() {
    return products.replaceDefinition(definition(POLICY)).then();
  }

  private static CollectionDefinition definition(String policy) {
    return CollectionDefinition.DEFAULT.withIndexingPolicy(Definitions.parsePolicy(policy));
  }

  /**
   * Deletes the items of an earlier run and stores products. Emits each product when it is stored.
   */
  public Flux<Product> fill(Flux<Product> all) {
    return documents
        .drop(NAME)
        .then(documents.create(NAME, definition(POLICY)))
        .thenMany(all)
        .flatMap(product -> products.create(product).thenReturn(product), WRITES_AT_ONCE);
  }

  /** Stops the background work of the collection. */
  public Mono<Void> close() {
    return documents.close();
  }
}
