package io.kvreactive.documents.internal.collection;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.ChangeFeedOptions;
import io.kvreactive.documents.ChangeFeedOptions.Mode;
import io.kvreactive.documents.ChangeGroup;
import io.kvreactive.documents.ChangePage;
import io.kvreactive.documents.FeedRange;
import io.kvreactive.documents.ItemChanges;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.internal.shared.ArgumentChecks;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A group of a store. Each lease is a key of the collection. Every change of a lease checks the
 * collection's metadata and the version of the lease.
 */
public final class StoredChangeGroup<T> implements ChangeGroup<T> {
  private final KvEngine engine;
  private final SignalScheduler signals;
  private final CollectionMetadataCache metadataCache;
  private final ItemChangeFeed feed;
  private final String group;
  private final Function<ItemChanges<ObjectNode>, ItemChanges<T>> typed;

  /**
   * Creates a handle.
   *
   * @param group the name of the group
   * @param typed converts the documents of a commit
   */
  public StoredChangeGroup(
      KvEngine engine,
      SignalScheduler signals,
      CollectionMetadataCache metadataCache,
      ItemChangeFeed feed,
      String group,
      Function<ItemChanges<ObjectNode>, ItemChanges<T>> typed) {
    this.engine = engine;
    this.signals = signals;
    this.metadataCache = metadataCache;
    this.feed = feed;
    this.group = group;
    this.typed = typed;
  }

  // ---- leases

  @Override
  public Mono<List<Lease>> leases() {
    return signals.work(read());
  }

  private Mono<List<Lease>> read() {
    return metadataCache
        .refresh()
        .flatMap(
            metadata ->
                engine
                    .read(List.of(metadata.keys().leases(group, FeedRange.MAX_COUNT)), null)
                    .map(
                        read -> {
                          List<Lease> leases = new ArrayList<>();
                          for (StoredEntry entry : read.pages().get(0).entries()) {
                            leases.add(decode(leases.size(), entry));
                          }
                          return leases;
                        }));
  }

  private static Lease decode(int range, StoredEntry entry) {
    JsonNode json = Json.parse(Objects.requireNonNull(entry.value()).bytes());
    return new Lease(
        range,
        entry.versionstamp(),
        json.path("owner").textValue(),
        json.path("wanted").textValue(),
        Versionstamp.parse(json.path("continuation").asText()));
  }

  private static KvValue encode(
      @Nullable String owner, @Nullable String wanted, Versionstamp continuation) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    if (owner != null) {
      json.put("owner", owner);
    }
    if (wanted != null) {
      json.put("wanted", wanted);
    }
    json.put("continuation", continuation.toString());
    return new KvValue(KvValue.Encoding.BYTES, Json.write(json));
  }

  @Override
  public Mono<List<Lease>> create(int ranges, @Nullable Versionstamp since) {
    return signals.work(
        Mono.defer(
            () -> {
              ArgumentChecks.between("ranges", ranges, 1, FeedRange.MAX_COUNT);
              return read()
                  .flatMap(
                      leases ->
                          leases.isEmpty() ? write(ranges, since).then(read()) : Mono.just(leases));
            }));
  }

  private Mono<Void> write(int ranges, @Nullable Versionstamp since) {
    return metadataCache
        .refresh()
        .flatMap(
            metadata ->
                engine
                    .read(List.of(), null)
                    .flatMap(
                        now -> {
                          KvValue free = encode(null, null, since == null ? now.snapshot() : since);
                          List<Mutation> leases = new ArrayList<>();
                          for (int range = 0; range < ranges; range++) {
                            leases.add(new Mutation.Set(metadata.keys().lease(group, range), free));
                          }
                          byte[] first = metadata.keys().lease(group, 0);
                          return engine.commit(
                              new Commit(
                                  List.of(recordCheck(metadata), new Check(first, null)), leases));
                        }))
        .then(); // a conflict: another member has created the group
  }

  private static Check recordCheck(CollectionMetadata metadata) {
    return new Check(metadata.recordKey(), metadata.versionstamp());
  }

  @Override
  public Mono<Lease> replace(Lease lease) {
    return signals.work(
        Mono.defer(
            () -> {
              ArgumentChecks.between("range", lease.range(), 0, FeedRange.MAX_COUNT - 1);
              return metadataCache.refresh().flatMap(metadata -> write(metadata, lease));
            }));
  }

  private Mono<Lease> write(CollectionMetadata metadata, Lease lease) {
    byte[] key = metadata.keys().lease(group, lease.range());
    return engine
        .commit(
            new Commit(
                List.of(recordCheck(metadata), new Check(key, lease.versionstamp())),
                List.of(
                    new Mutation.Set(
                        key, encode(lease.owner(), lease.wanted(), lease.continuation())))))
        .mapNotNull(
            result ->
                result.committed()
                    ? new Lease(
                        lease.range(),
                        Objects.requireNonNull(result.versionstamp()),
                        lease.owner(),
                        lease.wanted(),
                        lease.continuation())
                    : null);
  }

  // ---- changes

  @Override
  public Mono<ChangePage<T>> page(Mode mode, FeedRange range, Versionstamp since, int limit) {
    return signals
        .work(feed.page(new ChangeFeedOptions(mode, since, null, range), limit))
        .map(
            page ->
                new ChangePage<>(
                    page.commits().stream().map(typed).toList(),
                    page.continuation(),
                    page.hasMore()));
  }

  @Override
  public Mono<Reader<T>> reader(Mode mode, FeedRange range, int limit) {
    return signals.work(
        feed.watch(PartitionSelection.of(range))
            .map(watch -> new WatchReader(mode, range, limit, watch)));
  }

  /** Waits for commits that touch the range; commits to other ranges cost nothing. */
  private final class WatchReader implements Reader<T> {
    private final Mode mode;
    private final FeedRange range;
    private final int limit;
    private final PartitionWatches.Watch watch;

    WatchReader(Mode mode, FeedRange range, int limit, PartitionWatches.Watch watch) {
      this.mode = mode;
      this.range = range;
      this.limit = limit;
      this.watch = watch;
    }

    @Override
    public Mono<ChangePage<T>> next(Versionstamp since) {
      return Mono.defer(
          () -> {
            watch.reset();
            return page(mode, range, since, limit)
                .flatMap(
                    page ->
                        page.commits().isEmpty() && !page.hasMore()
                            ? idle(page.continuation())
                            : Mono.just(page));
          });
    }

    private Mono<ChangePage<T>> idle(Versionstamp position) {
      return watch
          .next(position)
          .map(
              wake ->
                  new ChangePage<T>(
                      List.of(),
                      wake.position().compareTo(position) > 0 ? wake.position() : position,
                      wake.isTouched()))
          .switchIfEmpty(
              Mono.error(() -> new KvException(KvErrorCode.CLOSED, "the store is closed")));
    }

    @Override
    public Mono<Void> close() {
      return watch.close();
    }
  }
}
