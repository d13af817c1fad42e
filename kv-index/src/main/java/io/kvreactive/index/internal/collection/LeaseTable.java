package io.kvreactive.index.internal.collection;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.internal.store.CollectionMetadata;
import io.kvreactive.index.internal.value.Json;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The stored leases of a group that processes the changes of a collection. Every change of a lease
 * checks the collection's metadata and the version of the lease, so that a member that has lost a
 * lease cannot store a position.
 */
final class LeaseTable {
  private static final int MAX_RANGES = 1024;

  private final KvEngine engine;
  private final CollectionMetadataCache metadataCache;
  private final String group;

  LeaseTable(KvEngine engine, CollectionMetadataCache metadataCache, String group) {
    this.engine = engine;
    this.metadataCache = metadataCache;
    this.group = group;
  }

  /**
   * A stored lease.
   *
   * @param versionstamp the version of the record; it changes whenever the owner renews the lease
   * @param owner the id of the member that has the lease; null if the range is free
   * @param wanted the id of the member to which the owner shall pass the lease; null for none
   * @param continuation the position up to which the changes of the range have been handled
   */
  record Lease(
      int range,
      Versionstamp versionstamp,
      @Nullable String owner,
      @Nullable String wanted,
      Versionstamp continuation) {

    Lease ownedBy(@Nullable String member) {
      return new Lease(range, versionstamp, member, null, continuation);
    }

    Lease wantedBy(String member) {
      return new Lease(range, versionstamp, owner, member, continuation);
    }

    /** Returns the lease with a later position, or as it is if the position is not later. */
    Lease at(Versionstamp position) {
      return isAfter(position, continuation)
          ? new Lease(range, versionstamp, owner, wanted, position)
          : this;
    }

    /** Compares positions: one within a commit is before the position after the commit. */
    private static boolean isAfter(Versionstamp one, Versionstamp other) {
      return one.version() == other.version()
          ? other.order() > 0 && (one.order() == 0 || one.order() > other.order())
          : one.compareTo(other) > 0;
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

    private KvValue encode() {
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
  }

  /** Emits all leases in the order of their ranges; empty if the group does not exist. */
  Mono<List<Lease>> read() {
    return metadataCache
        .refresh()
        .flatMap(
            metadata ->
                engine
                    .read(List.of(metadata.keys().leases(group, MAX_RANGES)), null)
                    .map(
                        read -> {
                          List<Lease> leases = new ArrayList<>();
                          for (StoredEntry entry : read.pages().get(0).entries()) {
                            leases.add(Lease.decode(leases.size(), entry));
                          }
                          return leases;
                        }));
  }

  /** Emits the leases of the group, which is created if it does not exist. */
  Mono<List<Lease>> readOrCreate(int ranges, @Nullable Versionstamp since) {
    return read()
        .flatMap(
            leases -> leases.isEmpty() ? create(ranges, since).then(read()) : Mono.just(leases));
  }

  private Mono<Void> create(int ranges, @Nullable Versionstamp since) {
    return metadataCache
        .refresh()
        .flatMap(
            metadata ->
                engine
                    .read(List.of(), null)
                    .flatMap(
                        now -> {
                          Versionstamp start = since == null ? now.snapshot() : since;
                          List<Mutation> leases = new ArrayList<>();
                          for (int range = 0; range < ranges; range++) {
                            Lease free = new Lease(range, Versionstamp.ZERO, null, null, start);
                            leases.add(
                                new Mutation.Set(
                                    metadata.keys().lease(group, range), free.encode()));
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

  /**
   * Changes a lease and emits it as stored.
   *
   * @param change the change, or null to leave the lease as it is; called again after a conflict
   * @return the stored lease; empty if {@code change} returned null or the lease no longer exists
   */
  Mono<Lease> update(int range, Function<Lease, @Nullable Lease> change) {
    return Mono.defer(
            () -> metadataCache.refresh().flatMap(metadata -> attempt(metadata, range, change)))
        .repeatWhenEmpty(1_000, conflicts -> conflicts)
        .flatMap(Mono::justOrEmpty);
  }

  private Mono<Optional<Lease>> attempt(
      CollectionMetadata metadata, int range, Function<Lease, @Nullable Lease> change) {
    byte[] key = metadata.keys().lease(group, range);
    return engine
        .read(List.of(ReadRange.point(key)), null)
        .flatMap(
            read -> {
              List<StoredEntry> found = read.pages().get(0).entries();
              Lease old = found.isEmpty() ? null : Lease.decode(range, found.get(0));
              Lease changed = old == null ? null : change.apply(old);
              if (old == null || changed == null) {
                return Mono.just(Optional.<Lease>empty());
              }
              return engine
                  .commit(
                      new Commit(
                          List.of(recordCheck(metadata), new Check(key, old.versionstamp())),
                          List.of(new Mutation.Set(key, changed.encode()))))
                  .flatMap(
                      result ->
                          result.committed()
                              ? Mono.just(
                                  Optional.of(
                                      new Lease(
                                          range,
                                          Objects.requireNonNull(result.versionstamp()),
                                          changed.owner(),
                                          changed.wanted(),
                                          changed.continuation())))
                              : Mono.empty());
            });
  }
}
