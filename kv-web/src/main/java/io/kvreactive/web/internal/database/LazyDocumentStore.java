package io.kvreactive.web.internal.database;

import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvRange;
import io.kvreactive.ListOptions;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.DocumentThreads;
import io.kvreactive.spi.KvEngine;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The collections of a store, opened at first use: a store without collections remains unchanged.
 * Thread-safe.
 */
public final class LazyDocumentStore {
  private final Kv kv;
  private final DocumentStoreOptions options;
  private final DocumentThreads threads;
  private final UnaryOperator<KvEngine> traced;
  private @Nullable DocumentStore documents; // guarded by this

  /**
   * Creates the collections without opening them.
   *
   * @param options the options, with threads
   * @param traced the function that wraps the engine of the collections; see {@code Tracing.shared}
   */
  public LazyDocumentStore(Kv kv, DocumentStoreOptions options, UnaryOperator<KvEngine> traced) {
    this.kv = kv;
    this.options = options;
    this.threads = Objects.requireNonNull(options.threads(), "threads");
    this.traced = traced;
  }

  DocumentThreads threads() {
    return threads;
  }

  synchronized DocumentStore get() {
    DocumentStore known = documents;
    if (known == null) {
      known = DocumentStore.over(kv.withEngine(traced), options);
      documents = known;
    }
    return known;
  }

  /** Resumes background work if the store has a collection. Completes after that. */
  public Mono<Void> resume() {
    Flux<KvEntry<Object>> any =
        kv.list(
            KvRange.prefix(options.root()), ListOptions.DEFAULT.withLimit(1).withKeysOnly(true));
    return any.doOnNext(found -> get()).then();
  }

  /** Stops background work. Completes when it has ended. */
  public synchronized Mono<Void> close() {
    return documents == null ? Mono.empty() : documents.close();
  }
}
