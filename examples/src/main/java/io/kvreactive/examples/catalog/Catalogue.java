package io.kvreactive.examples.catalog;

import io.kvreactive.Kv;
import io.kvreactive.index.CollectionDefinition;
import io.kvreactive.index.DocumentCollection;
import io.kvreactive.index.DocumentStore;
import io.kvreactive.index.IndexingPolicy;
import io.kvreactive.index.TransformationProgress;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A collection of products and its indexing policy. */
public final class Catalogue {
  private static final String NAME = "catalogue";
  private static final int WRITES_AT_ONCE = 256;

  /** Everything is indexed but the title; a tag's facet and value also together. */
  private static final String POLICY =
      """
      {
        "includedPaths": [{"path": "/*"}, {"path": "/tags/[]/{facet, value}/?"}],
        "excludedPaths": [{"path": "/title/?"}, {"path": "/\\"_etag\\"/?"}]
      }
      """;

  /** The same, and an order by section and then size. */
  private static final String POLICY_WITH_ORDER =
      """
      {
        "includedPaths": [{"path": "/*"}, {"path": "/tags/[]/{facet, value}/?"}],
        "excludedPaths": [{"path": "/title/?"}, {"path": "/\\"_etag\\"/?"}],
        "compositeIndexes": [[{"path": "/section"}, {"path": "/size", "order": "descending"}]]
      }
      """;

  private final DocumentStore index;
  private final DocumentCollection<Product> products;

  public Catalogue(Kv kv) {
    index = DocumentStore.over(kv);
    products = index.collection(NAME, Product.class);
  }

  /** The collection. */
  public DocumentCollection<Product> products() {
    return products;
  }

  /** Adds the composite index, while everything goes on; emits how far that is. */
  public Flux<TransformationProgress> addOrder() {
    return products.replaceDefinition(definition(POLICY_WITH_ORDER));
  }

  private static CollectionDefinition definition(String policy) {
    return CollectionDefinition.DEFAULT.withIndexingPolicy(IndexingPolicy.parse(policy));
  }

  /** Deletes what an earlier run has left, and stores products; emits one for each, when stored. */
  public Flux<Product> fill(Flux<Product> all) {
    return index
        .drop(NAME)
        .then(index.create(NAME, definition(POLICY)))
        .thenMany(all)
        .flatMap(product -> products.create(product).thenReturn(product), WRITES_AT_ONCE);
  }

  /** Ends what the collection does in the background. */
  public Mono<Void> close() {
    return index.close();
  }
}
