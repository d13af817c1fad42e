package io.kvreactive.web.internal.stores;

import io.kvreactive.Kv;
import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvOptions;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.spi.KvEngineOptions;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.auth.AuditEntry;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.database.Database;
import io.kvreactive.web.internal.database.Databases;
import io.kvreactive.web.internal.database.LazyDocumentStore;
import io.kvreactive.web.internal.http.FailureLog;
import io.kvreactive.web.internal.http.Problem;
import io.kvreactive.web.internal.trace.Tracing;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.concurrent.Queues;

/**
 * The databases of a directory, databases in memory, or databases of another engine. The default
 * database is in the directory itself, any other in {@code databases/NAME} below it.
 */
public final class StoreDatabases implements Databases {
  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9_-]{0,62}");
  private static final String FOLDER = "databases";

  /** Databases of an engine that are looked for at a time; some more in a race of requests. */
  private static final int MAX_LOOKING = 8;

  private final Vertx vertx;
  private final @Nullable Path directory;
  private final @Nullable Function<String, KvEngineOptions> engine;
  private final boolean mayCreate;
  private final UnaryOperator<KvOptions> configure;
  private final DocumentStoreOptions collections;
  private final Tracing tracing;
  private final SubscriberContext subscriberContext;
  private final String instance = UUID.randomUUID().toString();
  private final Map<String, Mono<Boolean>> looking = new ConcurrentHashMap<>();
  private final Map<String, Mono<Database>> opening = new ConcurrentHashMap<>();
  private final Map<String, Database> open = new ConcurrentHashMap<>();
  private final FailureLog failures = new FailureLog();
  private final Mono<List<String>> storedInEngine;

  /**
   * Creates the databases without opening them.
   *
   * @param directory the directory; null for stores in memory or of another engine
   * @param engine the options of the engine of a database by its name; null for embedded stores
   * @param mayCreate true if databases other than the default one are created at first use
   * @param configure configures the options of each store
   * @param collections the options of the collections
   * @param tracing the tracing that records operations on collections as spans of requests
   */
  public StoreDatabases(
      Vertx vertx,
      @Nullable Path directory,
      @Nullable Function<String, KvEngineOptions> engine,
      boolean mayCreate,
      UnaryOperator<KvOptions> configure,
      DocumentStoreOptions collections,
      Tracing tracing) {
    this.vertx = vertx;
    this.directory = directory;
    this.engine = engine;
    this.mayCreate = mayCreate;
    this.configure = configure;
    this.collections = collections;
    this.tracing = tracing;
    this.subscriberContext =
        new SubscriberContext(signal -> vertx.runOnContext(ignored -> signal.run()));
    this.storedInEngine =
        engine == null
            ? Mono.just(List.of())
            : Mono.defer(() -> storedIn(engine))
                .onErrorReturn( // names of databases are too long for the engine
                    failure -> KvError.is(failure, KvErrorCode.INVALID_ARGUMENT), List.of())
                .cacheInvalidateIf(any -> true); // shared until it completes
  }

  /**
   * Emits the databases of an engine, other than the default one. Its stores may include others,
   * whose names are not those of databases.
   */
  private Mono<List<String>> storedIn(Function<String, KvEngineOptions> optionsOf) {
    String any = optionsOf.apply("0").name();
    String prefix = any.substring(0, any.length() - 1);
    return optionsOf
        .apply(DEFAULT)
        .existing(vertx)
        .map(
            stores ->
                stores.stream()
                    .filter(store -> store.startsWith(prefix))
                    .map(store -> store.substring(prefix.length()))
                    .filter(name -> NAME.matcher(name).matches() && !name.equals(DEFAULT))
                    .toList());
  }

  @Override
  public @Nullable Database openNow(String name) {
    return open.get(name);
  }

  @Override
  public Mono<Boolean> absent(String name, Grant grant) {
    return exists(name)
        .map(
            exists -> {
              if (!exists) {
                checkCreation(name, grant, true);
              }
              return !exists;
            });
  }

  @Override
  public Mono<Database> open(String name, Grant grant, boolean make) {
    return exists(name)
        .flatMap(
            exists -> {
              if (!exists) {
                checkCreation(name, grant, make);
                AuditEntry.done("database.created").by(grant).with("database", name).log();
              }
              return openOnce(name);
            })
        .onErrorMap(KvException.class, failure -> withoutDirectory(name, failure));
  }

  /**
   * Returns the failure for callers. It does not name the directory of the database, which is
   * private to the operator. Failures of the default database are unchanged, because the operator
   * opens it.
   */
  private KvException withoutDirectory(String name, KvException failure) {
    if (name.equals(DEFAULT)
        || failure.code() == KvErrorCode.FORBIDDEN
        || Problem.isOfStore(failure.code())) { // Problem shows these without details
      return failure;
    }
    failures.log("opening database " + name, failure);
    return new KvException(
        failure.code(),
        "database " + name + " cannot be opened; the server's log has the reason",
        failure);
  }

  private Mono<Boolean> exists(String name) {
    if (name.equals(DEFAULT)) {
      return Mono.just(true);
    }
    if (!NAME.matcher(name).matches()) {
      return Mono.error(
          new WebException(
              WebErrorCode.NO_SUCH_DATABASE,
              "database: \"%s\" (expected: up to 63 of a-z, 0-9, _ and -)".formatted(name)));
    }
    if (open.containsKey(name)) {
      return Mono.just(true);
    }
    if (engine != null) {
      return Mono.defer(() -> existsOnce(engine, name));
    }
    if (directory == null) {
      return Mono.just(false);
    }
    Path folder = folder(directory, name);
    return blocking(() -> Files.isDirectory(folder));
  }

  /**
   * Looks up a database of an engine, which may need a separate connection. Requests for the same
   * database share it. Error: OVERLOADED.
   */
  private Mono<Boolean> existsOnce(Function<String, KvEngineOptions> optionsOf, String name) {
    if (looking.size() >= MAX_LOOKING && !looking.containsKey(name)) {
      return Mono.error(
          new KvException(
              KvErrorCode.OVERLOADED,
              "databases are being looked for: %d (expected: at most %d)"
                  .formatted(looking.size() + 1, MAX_LOOKING)));
    }
    return looking.computeIfAbsent(
        name,
        requested ->
            Mono.defer(() -> optionsOf.apply(requested).exists(vertx))
                .doFinally(end -> looking.remove(requested))
                .cache());
  }

  private void checkCreation(String name, Grant grant, boolean make) {
    if (!mayCreate || !make) {
      throw new WebException(
          WebErrorCode.NO_SUCH_DATABASE,
          "database %s does not exist%s"
              .formatted(name, mayCreate ? "; a first write creates it" : ""));
    }
    Operation.CREATE_DATABASE.authorize(grant);
  }

  private static Path folder(Path directory, String name) {
    return name.equals(DEFAULT) ? directory : directory.resolve(FOLDER).resolve(name);
  }

  private Mono<Database> openOnce(String name) {
    return opening.computeIfAbsent(
        name,
        requested ->
            store(requested)
                .map(kv -> new Database(requested, kv, collections(requested, kv)))
                .flatMap(StoreDatabases::resumed)
                .doOnNext(database -> open.put(requested, database))
                .doOnError(failed -> opening.remove(requested))
                .cache());
  }

  private LazyDocumentStore collections(String name, Kv kv) {
    return new LazyDocumentStore(kv, collections, engine -> tracing.shared(engine, name));
  }

  private static Mono<Database> resumed(Database database) {
    return database
        .collections()
        .resume()
        .onErrorResume(failed -> close(database).onErrorComplete().then(Mono.error(failed)))
        .thenReturn(database);
  }

  private Mono<Kv> store(String name) {
    return engine == null ? Kv.open(vertx, options(name)) : Kv.open(vertx, engine.apply(name));
  }

  private KvOptions options(String name) {
    KvOptions options =
        directory == null ? KvOptions.inMemory() : KvOptions.at(folder(directory, name));
    return configure.apply(options.withName(instance + "-" + name));
  }

  @Override
  public List<Database> opened() {
    return List.copyOf(open.values());
  }

  /**
   * Emits the names of the default database, of the open ones, and of those in the directory or
   * engine. Concurrent calls share a look into the engine.
   */
  @Override
  public Mono<SortedSet<String>> names() {
    return subscriberContext.apply(
        storedInDirectory()
            .zipWith(storedInEngine)
            .map(found -> names(found.getT1(), found.getT2())));
  }

  private Mono<SortedSet<String>> storedInDirectory() {
    Path root = directory;
    return root == null ? Mono.just(new TreeSet<>()) : blocking(() -> stored(root));
  }

  private <T> Mono<T> blocking(Callable<T> work) {
    return Mono.create(
        sink -> vertx.executeBlocking(work, false).onComplete(sink::success, sink::error));
  }

  private SortedSet<String> names(SortedSet<String> inDirectory, List<String> inEngine) {
    SortedSet<String> names = new TreeSet<>(inDirectory);
    names.addAll(inEngine);
    names.add(DEFAULT);
    names.addAll(open.keySet());
    return names;
  }

  private static SortedSet<String> stored(Path root) throws IOException {
    Path folder = root.resolve(FOLDER);
    if (!Files.isDirectory(folder)) {
      return new TreeSet<>();
    }
    try (Stream<Path> entries = Files.list(folder)) {
      return entries
          .filter(Files::isDirectory)
          .map(path -> path.getFileName().toString())
          .filter(name -> NAME.matcher(name).matches())
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  @Override
  public Mono<Void> close() {
    return Flux.fromIterable(opening.values())
        .flatMapDelayError(
            opened -> opened.onErrorComplete().flatMap(StoreDatabases::close),
            Queues.SMALL_BUFFER_SIZE,
            1)
        .then();
  }

  private static Mono<Void> close(Database database) {
    return database.collections().close().onErrorComplete().then(database.kv().close());
  }
}
