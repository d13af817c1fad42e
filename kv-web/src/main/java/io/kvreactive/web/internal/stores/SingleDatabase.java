package io.kvreactive.web.internal.stores;

import io.kvreactive.Kv;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.DocumentThreads;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.database.Database;
import io.kvreactive.web.internal.database.Databases;
import io.kvreactive.web.internal.database.LazyDocumentStore;
import io.kvreactive.web.internal.trace.Tracing;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The only database of a server, whose store another component opens and closes. */
public final class SingleDatabase implements Databases {
  private final DocumentThreads threads = DocumentThreads.create();
  private final Database database;

  public SingleDatabase(Kv kv) {
    this(kv, DocumentStoreOptions.DEFAULT, Tracing.HEADERS);
  }

  /**
   * Creates the database.
   *
   * @param options the options of its collections, which get threads of their own
   * @param tracing the tracing that records operations on collections as spans of requests
   */
  public SingleDatabase(Kv kv, DocumentStoreOptions options, Tracing tracing) {
    this.database =
        new Database(
            DEFAULT,
            kv,
            new LazyDocumentStore(
                kv, options.withThreads(threads), engine -> tracing.shared(engine, DEFAULT)));
  }

  @Override
  public @Nullable Database openNow(String name) {
    return name.equals(DEFAULT) ? database : null;
  }

  @Override
  public Mono<Boolean> absent(String name, Grant grant) {
    return none(name);
  }

  @Override
  public Mono<Database> open(String name, Grant grant, boolean make) {
    return none(name);
  }

  private static <T> Mono<T> none(String name) {
    return Mono.error(
        new WebException(
            WebErrorCode.NO_SUCH_DATABASE,
            "database " + name + " does not exist (expected: " + DEFAULT + ")"));
  }

  @Override
  public List<Database> opened() {
    return List.of(database);
  }

  @Override
  public Mono<SortedSet<String>> names() {
    return Mono.just(new TreeSet<>(Set.of(DEFAULT)));
  }

  @Override
  public Mono<Void> close() {
    return database
        .collections()
        .close()
        .doFinally(end -> threads.close()); // the owner closes the store
  }
}
