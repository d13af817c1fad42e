package io.kvreactive.documents.internal.transform;

import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.CollectionInfo;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.DocumentStoreOptions;
import io.kvreactive.documents.IndexingMode;
import io.kvreactive.documents.internal.collection.CollectionMetadataCache;
import io.kvreactive.documents.internal.collection.DemandGate;
import io.kvreactive.documents.internal.store.CollectionKeys;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.CollectionRecord;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** The catalog of a store's collections: creates, describes, changes and drops collections. */
public final class CollectionCatalog {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1,255}");
  private static final int PAGE = 100;

  private final KvEngine engine;
  private final Scheduler worker;
  private final DocumentStoreOptions options;
  private final ItemExpirySweeper sweeps;
  private final Consumer<String> changed;

  /**
   * Creates a catalog.
   *
   * @param changed the callback for the name of each collection whose definition was changed here
   */
  public CollectionCatalog(
      KvEngine engine, Scheduler worker, DocumentStoreOptions options, Consumer<String> changed) {
    this.engine = engine;
    this.worker = worker;
    this.options = options;
    this.sweeps = new ItemExpirySweeper(engine, worker, options);
    this.changed = changed;
  }

  /**
   * Validates the name of a collection and returns it.
   *
   * @throws DocumentException INVALID_ARGUMENT
   */
  public static String checkName(String name) {
    return checkName("collection", name);
  }

  /**
   * Validates a name and returns it.
   *
   * @param what the kind of the name for the error, such as {@code group}
   * @throws DocumentException INVALID_ARGUMENT
   */
  public static String checkName(String what, String name) {
    if (!NAME.matcher(name).matches()) {
      String shown = name.length() <= 40 ? name : name.substring(0, 40) + "…";
      throw new DocumentException(
          DocumentErrorCode.INVALID_ARGUMENT,
          what + ": \"" + shown + "\" (expected: 1 to 255 letters, digits, _, - or .)");
    }
    return name;
  }

  private CollectionMetadataCache metadataCache(String name) {
    return new CollectionMetadataCache(engine, worker, options.root(), name);
  }

  /** Creates a collection and emits its metadata. Error: COLLECTION_EXISTS. */
  public Mono<CollectionMetadata> create(String name, CollectionDefinition definition) {
    checkLazy(definition, null);
    byte[] key = CollectionKeys.definition(options.root(), name);
    byte[] next = CollectionKeys.nextCollection(options.root());
    return engine
        .read(List.of(ReadRange.point(key), ReadRange.point(next)), null)
        .publishOn(worker)
        .flatMap(
            read -> {
              if (!read.pages().get(0).entries().isEmpty()) {
                return Mono.error(exists(name));
              }
              return create(name, definition, key, next, read.pages().get(1).entries());
            });
  }

  /** Checks that lazy indexing is allowed. A collection that is lazy already may stay lazy. */
  private void checkLazy(CollectionDefinition definition, @Nullable CollectionMetadata old) {
    boolean lazy = definition.indexingPolicy().indexingMode() == IndexingMode.LAZY;
    if (lazy && !options.allowLazy() && (old == null || !old.isLazy())) {
      throw new DocumentException(
          DocumentErrorCode.INVALID_POLICY,
          "indexingMode lazy is not allowed here (expected: consistent or none, or the option"
              + " allowLazy)");
    }
  }

  private static DocumentException exists(String name) {
    return new DocumentException(
        DocumentErrorCode.COLLECTION_EXISTS, "collection \"" + name + "\" already exists");
  }

  private Mono<CollectionMetadata> create(
      String name,
      CollectionDefinition definition,
      byte[] key,
      byte[] next,
      List<StoredEntry> counter) {
    Versionstamp at = counter.isEmpty() ? null : counter.get(0).versionstamp();
    long number =
        counter.isEmpty()
            ? 1
            : ByteBuffer.wrap(Objects.requireNonNull(counter.get(0).value()).bytes()).getLong();
    CollectionRecord record =
        CollectionRecord.first(
            Long.toString(number, Character.MAX_RADIX),
            definition,
            DefinitionChange.numbers(definition));
    byte[] moved = ByteBuffer.allocate(Long.BYTES).putLong(number + 1).array();
    Commit commit =
        new Commit(
            List.of(new Check(key, null), new Check(next, at)),
            List.of(
                new Mutation.Set(key, record.encode()),
                new Mutation.Set(next, new KvValue(KvValue.Encoding.BYTES, moved))));
    return engine
        .commit(commit)
        .flatMap(
            result -> {
              if (!result.committed()) {
                return create(name, definition);
              }
              changed.accept(name);
              return Mono.just(
                  new CollectionMetadata(
                      options.root(), name, record, Objects.requireNonNull(result.versionstamp())));
            });
  }

  /** Emits the state of a collection. Completes empty if the collection does not exist. */
  public Mono<CollectionInfo> describe(String name) {
    return metadataCache(name)
        .refresh()
        .flatMap(
            metadata ->
                engine
                    .read(List.of(point(metadata.recordKey()), point(metadata.keys().job())), null)
                    .flatMap(
                        read -> {
                          CollectionInfo info = info(name, read);
                          return info == null ? Mono.empty() : Mono.just(info);
                        }))
        .onErrorResume(
            DocumentException.class,
            e -> e.code() == DocumentErrorCode.COLLECTION_NOT_FOUND ? Mono.empty() : Mono.error(e));
  }

  private static ReadRange point(byte[] key) {
    return ReadRange.point(key);
  }

  /** Returns the state of a collection by its record and its work record. */
  @Nullable CollectionInfo info(String name, ReadResult read) {
    IndexWorkRecord work = IndexWork.recordOf(read);
    if (work == null) {
      return null;
    }
    StoredEntry entry = read.pages().get(0).entries().get(0);
    CollectionRecord record =
        CollectionRecord.decode(Objects.requireNonNull(entry.value()).bytes());
    return new CollectionInfo(
        name,
        record.definition(),
        record.policyVersion(),
        entry.versionstamp(),
        work.progress(record));
  }

  /** Emits the state of a collection now and at each change. Error: COLLECTION_NOT_FOUND. */
  public Flux<CollectionInfo> follow(CollectionMetadataCache metadataCache) {
    return metadataCache
        .refresh()
        .flatMapMany(
            metadata ->
                DemandGate.apply(
                        engine.watch(List.of(metadata.recordKey(), metadata.keys().job())),
                        states -> states.publishOn(worker, 1))
                    .map(
                        read -> {
                          CollectionInfo info = info(metadata.name(), read);
                          if (info == null) {
                            throw CollectionMetadataCache.notFound(metadata.name());
                          }
                          return info;
                        }));
  }

  /** Emits the names of all collections. */
  public Flux<String> names() {
    String root = options.root();
    int prefix = CollectionKeys.definition(root, "").length - 1;
    return pages(CollectionKeys.definitions(root, PAGE)).map(entry -> text(entry.key(), prefix));
  }

  /** Emits the ids of dropped collections that still have keys. */
  Flux<String> dropped() {
    String root = options.root();
    int prefix = CollectionKeys.dropped(root, "").length - 1;
    return pages(CollectionKeys.allDropped(root, PAGE)).map(entry -> text(entry.key(), prefix));
  }

  /** Returns the text that is the last part of a key. Names consist of one-byte characters only. */
  private static String text(byte[] key, int from) {
    return new String(key, from, key.length - 1 - from, java.nio.charset.StandardCharsets.UTF_8);
  }

  private Flux<StoredEntry> pages(ReadRange range) {
    return engine.pages(range, null).publishOn(worker, 1).concatMapIterable(RangePage::entries);
  }

  /** Drops a collection and emits true if it existed. */
  public Mono<Boolean> drop(String name) {
    byte[] key = CollectionKeys.definition(options.root(), name);
    return engine
        .read(List.of(ReadRange.point(key)), null)
        .publishOn(worker)
        .flatMap(
            read -> {
              List<StoredEntry> found = read.pages().get(0).entries();
              return found.isEmpty() ? Mono.just(false) : drop(name, key, found.get(0));
            });
  }

  private Mono<Boolean> drop(String name, byte[] key, StoredEntry entry) {
    CollectionRecord record =
        CollectionRecord.decode(Objects.requireNonNull(entry.value()).bytes());
    KvValue id = new KvValue(KvValue.Encoding.BYTES, new byte[0]);
    Commit commit =
        new Commit(
            List.of(new Check(key, entry.versionstamp())),
            List.of(
                new Mutation.Delete(key),
                new Mutation.Set(CollectionKeys.dropped(options.root(), record.id()), id)));
    return engine
        .commit(commit)
        .flatMap(
            result -> {
              if (!result.committed()) {
                return drop(name);
              }
              changed.accept(name);
              return Mono.just(true);
            });
  }

  /**
   * Replaces the definition and emits its policy version. Items that have expired by the former
   * definition are removed first, so that the new definition does not revive them.
   */
  public Mono<Integer> replace(
      CollectionMetadataCache metadataCache, CollectionDefinition definition) {
    return IndexWork.read(engine, "", metadataCache)
        .publishOn(worker)
        .flatMap(
            work -> {
              CollectionMetadata metadata = work.metadata();
              boolean failed =
                  metadata.record().builds().stream().anyMatch(build -> build.error() != null);
              if (definition.equals(metadata.definition()) && !failed) {
                return Mono.just(metadata.policyVersion());
              }
              CollectionDefinition.checkReplaceable(metadata.definition(), definition);
              checkLazy(definition, metadata);
              boolean sweep =
                  metadata.defaultTtl() != null
                      && !Objects.equals(metadata.defaultTtl(), definition.defaultTtl());
              Mono<Void> before = sweep ? sweeps.all(metadata) : Mono.empty();
              return before
                  .then(Mono.defer(() -> replace(metadataCache, work, definition)))
                  .onErrorResume(IndexWork.Stale.class, e -> replace(metadataCache, definition));
            });
  }

  private Mono<Integer> replace(
      CollectionMetadataCache metadataCache, IndexWork work, CollectionDefinition definition) {
    DefinitionChange.Planned planned =
        DefinitionChange.plan(work.metadata(), definition, engine.now());
    return new InlineChange(engine, worker, options.root(), work)
        .run(planned.record())
        .switchIfEmpty(
            Mono.defer(
                () ->
                    work.commit(
                            IndexWorkRecord.without(
                                work.jobs(),
                                planned.started().stream().map(IndexWorkRecord::build).toList()),
                            planned.record(),
                            List.of(),
                            List.of())
                        .thenReturn(true)))
        .map(
            done -> {
              changed.accept(metadataCache.name());
              return planned.record().policyVersion();
            })
        .onErrorResume(IndexWork.Stale.class, e -> replace(metadataCache, definition));
  }
}
