package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Kv;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvMessage;
import io.kvreactive.KvOptions;
import io.kvreactive.KvValue;
import io.kvreactive.ListOptions;
import io.kvreactive.QueueOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.DocumentStore;
import io.kvreactive.index.DocumentStoreOptions;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.serve.LogSetup;
import io.kvreactive.web.RestJson;
import io.vertx.core.Vertx;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The store of a directory, opened exclusively by this process. Must be closed. */
public final class LocalTarget implements Target {
  private static final int AHEAD = 64;
  private static final String IDENTITY = "store"; // the name of a file of every store

  private final Vertx vertx;
  private final Kv kv;
  private final DocumentStoreOptions options;
  private @Nullable DocumentStore index;
  private final AtomicBoolean closed = new AtomicBoolean();

  private LocalTarget(Vertx vertx, Kv kv, DocumentStoreOptions options) {
    this.vertx = vertx;
    this.kv = kv;
    this.options = options;
  }

  /**
   * Opens the store of a directory.
   *
   * @param create true to create a store that does not exist
   * @param lazy true if collections may use the indexing mode lazy
   * @throws CliException USAGE if the store does not exist or is locked
   */
  public static LocalTarget open(Path directory, boolean create, boolean lazy) {
    if (!create && !Files.exists(directory.resolve(IDENTITY))) {
      throw new CliException(
          ExitCode.USAGE,
          "store not found in " + directory + " (commands that write create it with --create)");
    }
    LogSetup.quiet();
    Vertx vertx = Vertx.vertx();
    try {
      Kv kv = value(Kv.open(vertx, KvOptions.at(directory)));
      LocalTarget target =
          new LocalTarget(vertx, kv, DocumentStoreOptions.DEFAULT.withAllowLazy(lazy));
      Runtime.getRuntime().addShutdownHook(new Thread(target::close, "kv-close")); // Ctrl-C
      return target;
    } catch (CliException e) {
      vertx.close();
      throw e;
    }
  }

  private static <T> T value(Mono<T> mono) {
    try {
      return Objects.requireNonNull(mono.block(), "an operation without a value");
    } catch (KvException e) {
      throw CliException.of(e);
    }
  }

  private static <T> void each(Publisher<T> source, Consumer<T> consumer) {
    try (Stream<T> elements = Flux.from(source).toStream(AHEAD)) {
      elements.forEach(consumer);
    } catch (KvException e) {
      throw CliException.of(e);
    } catch (UncheckedIOException e) {
      throw CliException.of("the input cannot be read", e);
    }
  }

  @Override
  public ObjectNode get(KvKey key) {
    return RestJson.entry(value(kv.get(key, KvValue.class)));
  }

  @Override
  public ObjectNode atomic(ObjectNode operation) {
    return value(
        Mono.defer(() -> kv.engine().commit(LocalAtomic.read(operation, kv.engine()::now)))
            .map(JsonViews::result));
  }

  @Override
  public void list(KeySelection range, Listing listing, Consumer<ObjectNode> entries) {
    ListOptions options =
        ListOptions.DEFAULT
            .withLimit(listing.limit())
            .withReverse(listing.reverse())
            .withKeysOnly(listing.keysOnly());
    each(kv.list(range.toKvRange(), options, KvValue.class).map(RestJson::entry), entries);
  }

  @Override
  public void watch(List<KvKey> keys, Consumer<ObjectNode> states) {
    each(kv.watch(keys, KvValue.class).map(JsonViews::state), states);
  }

  @Override
  public void changes(KeySelection range, @Nullable String since, Consumer<ObjectNode> commits) {
    Versionstamp after;
    try {
      after = since == null ? null : Versionstamp.parse(since);
    } catch (KvException e) {
      throw CliException.of(e);
    }
    each(kv.changes(range.toKvRange(), after, KvValue.class).map(RestJson::commit), commits);
  }

  @Override
  public void listen(String queue, long count, Consumer<ObjectNode> messages) {
    each(
        kv.listenQueue(KvValue.class, QueueOptions.of(queue))
            .concatMap(message -> handed(message, messages), 0)
            .take(count),
        done -> {});
  }

  private static Mono<Boolean> handed(KvMessage<KvValue> message, Consumer<ObjectNode> messages) {
    return Mono.fromRunnable(() -> messages.accept(JsonViews.message(message)))
        .then(message.ack())
        .thenReturn(true);
  }

  @Override
  public long count(KeySelection range) {
    return value(kv.count(range.toKvRange()));
  }

  @Override
  public List<String> databases() {
    return List.of("default"); // the store of the directory
  }

  @Override
  public ObjectNode stats() {
    return value(kv.stats().map(RestJson::stats));
  }

  @Override
  public void exportLines(KeySelection range, Consumer<String> lines) {
    each(kv.exportLines(range.toKvRange()), lines);
  }

  @Override
  public void importLines(InputStream lines, Consumer<ObjectNode> progress) {
    each(
        kv.importLines(LineBatches.texts(lines, LineBatches.MAX_ENTRY_BYTES))
            .map(JsonViews::progress)
            .onBackpressureLatest(),
        progress);
  }

  @Override
  public void run(Job job, @Nullable Path directory, Consumer<ObjectNode> progress) {
    Flux<ObjectNode> lines =
        switch (job) {
          case BACKUP ->
              kv.backup(Objects.requireNonNull(directory, "the directory of a backup"))
                  .map(JsonViews::progress);
          case COMPACT -> kv.compact().map(JsonViews::progress);
          case VERIFY -> kv.verify().map(JsonViews::report);
        };
    each(lines, progress);
  }

  @Override
  public synchronized TargetCollections documents() {
    if (index == null) {
      index = DocumentStore.over(kv, options);
    }
    return new LocalCollections(index);
  }

  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    try {
      closeIndex();
      kv.close().block();
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  private synchronized void closeIndex() {
    if (index != null) {
      index.close().block();
    }
  }
}
