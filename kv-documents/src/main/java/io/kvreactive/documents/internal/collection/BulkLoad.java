package io.kvreactive.documents.internal.collection;

import io.kvreactive.KvException;
import io.kvreactive.LoadOptions;
import io.kvreactive.LoadProgress;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.LoadException;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SynchronousSink;

/** Stores many items in batches, several batches at a time. An instance must be used only once. */
final class BulkLoad {
  /**
   * Number of items requested at a time. It is small because a source may be remote and items may
   * be large.
   */
  private static final int PREFETCH = 256;

  private final ItemWriter writer;
  private final LongAdder traffic;
  private final Single single;
  private final long begin = System.nanoTime();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final KeyedSerializer serializer;

  // items of the batches reported so far
  private long items;
  private long bytes;

  /** Writes a single item like an upsert. */
  @FunctionalInterface
  interface Single {
    Mono<ItemWriter.Written> write(Document document);
  }

  /**
   * An item to be stored.
   *
   * @param position the position of the item in the load, from 1
   * @param id the encoded identity of the item; equal for items of the same partition and id only
   */
  record LoadItem(long position, Document document, ByteBuffer id) {
    Throwable located(Throwable e) {
      return BulkLoad.located(position, e);
    }
  }

  /** Items to store together, or the reason why the source ended. */
  private record Batch(List<LoadItem> items, @Nullable Throwable failure) {
    long bytes() {
      return items.stream().mapToLong(item -> item.document().json().length).sum();
    }
  }

  /** The result of storing a batch: the versionstamp of its last commit, or the failure. */
  private record Outcome(Batch batch, @Nullable Versionstamp stamp, @Nullable Throwable failure) {}

  BulkLoad(ItemWriter writer, LongAdder traffic, Single single) {
    this.writer = writer;
    this.traffic = traffic;
    this.single = single;
    this.serializer = new KeyedSerializer(writer.worker);
  }

  Flux<LoadProgress> load(Publisher<?> documents, LoadOptions options) {
    return writer
        .metadataCache
        .refresh()
        .flatMapMany(metadata -> load(metadata, documents, options));
  }

  private Flux<LoadProgress> load(
      CollectionMetadata metadata, Publisher<?> documents, LoadOptions options) {
    return Flux.<Object>from(documents)
        .publishOn(writer.worker, PREFETCH)
        .index((before, document) -> loadItem(metadata, before + 1, document))
        .onErrorResume(
            e -> { // signalled after the items before it are stored
              failure.set(e);
              return Flux.empty();
            })
        .bufferUntil(new BatchBoundary(options), true)
        .map(batch -> new Batch(batch, null))
        .concatWith(Mono.defer(this::end))
        .flatMapSequential(batch -> outcome(metadata, batch), options.concurrency(), 1)
        .<LoadProgress>handle(this::report); // after the batches before it, regardless of demand
  }

  private static LoadItem loadItem(CollectionMetadata metadata, long position, Object object) {
    try {
      Document document = Document.of(object);
      byte[] id = ItemIdentity.of(document.tree(), metadata).key(metadata);
      return new LoadItem(position, document, ByteBuffer.wrap(id));
    } catch (DocumentException e) {
      throw reactor.core.Exceptions.propagate(located(position, e));
    }
  }

  private static Throwable located(long position, Throwable e) {
    long before = position - 1;
    if (e instanceof DocumentException known) {
      return new LoadException(known.code(), position, known.detail(), e);
    }
    return e instanceof KvException known
        ? new KvException(
            known.code(), known.detail() + "; the first " + before + " items are stored", e)
        : e;
  }

  private Mono<Batch> end() {
    Throwable cause = failure.get();
    return cause == null ? Mono.empty() : Mono.just(new Batch(List.of(), cause));
  }

  private Mono<Outcome> outcome(CollectionMetadata metadata, Batch batch) {
    if (batch.failure() != null) {
      return Mono.just(new Outcome(batch, null, batch.failure()));
    }
    LoadBatch work = new LoadBatch(writer, metadata, single, batch.items());
    Mono<Outcome> stored =
        Mono.defer(
                () -> {
                  traffic.increment();
                  return work.store();
                })
            .map(stamp -> new Outcome(batch, stamp, null))
            .onErrorResume(e -> Mono.just(new Outcome(batch, null, e)));
    return serializer.take(batch.items().stream().map(LoadItem::id).toList(), stored);
  }

  private void report(Outcome outcome, SynchronousSink<LoadProgress> sink) {
    if (outcome.stamp() == null) {
      Throwable cause = outcome.failure();
      sink.error(cause == null ? new IllegalStateException("neither stored nor failed") : cause);
      return;
    }
    items += outcome.batch().items().size();
    bytes += outcome.batch().bytes();
    Duration elapsed = Duration.ofNanos(System.nanoTime() - begin);
    sink.next(new LoadProgress(items, bytes, outcome.stamp(), elapsed));
  }

  /** Returns true for the first item of a new batch. An instance serves one load. */
  private static final class BatchBoundary implements Predicate<LoadItem> {
    private final LoadOptions options;
    private int entries;
    private long bytes;

    BatchBoundary(LoadOptions options) {
      this.options = options;
    }

    @Override
    public boolean test(LoadItem next) {
      entries++;
      bytes += next.document().json().length;
      boolean cut =
          entries > 1 && (entries > options.batchEntries() || bytes > options.batchBytes());
      if (cut) {
        entries = 1;
        bytes = next.document().json().length;
      }
      return cut;
    }
  }
}
