package io.kvreactive.documents;

import io.kvreactive.Versionstamp;
import io.kvreactive.documents.ChangeFeedOptions.Mode;
import io.kvreactive.documents.internal.collection.GroupMember;
import java.util.List;
import java.util.function.Function;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * The stored leases and positions of a group of change processors, and the changes that its members
 * handle. Only a caller that names the current version of a lease replaces it. So a member that has
 * lost a lease cannot store a position. Thread-safe.
 *
 * @param <T> the type of the documents
 */
@API(status = API.Status.EXPERIMENTAL)
public interface ChangeGroup<T> {
  /**
   * A stored lease.
   *
   * @param range the number of the range, from 0
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
      Versionstamp continuation) {}

  /** A reader of the changes of one range. The caller must close it. */
  interface Reader<T> {
    /**
     * Emits a page of the changes after a position. If there are none, it waits for some, or for
     * some seconds; the page may be without changes then, and has a later continuation. Errors:
     * those of {@code DocumentCollection.changePage}; CLOSED if the store is closed.
     */
    Mono<ChangePage<T>> next(Versionstamp since);

    /** Ends the reader. Idempotent. */
    Mono<Void> close();
  }

  /** Emits all leases in the order of their ranges; an empty list if the group does not exist. */
  Mono<List<Lease>> leases();

  /**
   * Emits the leases of the group, which is created if it does not exist.
   *
   * @param ranges the number of ranges of a new group, 1 to {@value FeedRange#MAX_COUNT}
   * @param since the position at which a new group starts; null for the newest version
   */
  Mono<List<Lease>> create(int ranges, @Nullable Versionstamp since);

  /**
   * Replaces the stored lease of the same range and version, and emits it as stored. Empty if there
   * is no such lease: it has changed, or the group does not exist.
   */
  Mono<Lease> replace(Lease lease);

  /** Emits a page of the changes of a range, as {@code DocumentCollection.changePage} does. */
  Mono<ChangePage<T>> page(Mode mode, FeedRange range, Versionstamp since, int limit);

  /** Emits a reader of the changes of a range. */
  Mono<Reader<T>> reader(Mode mode, FeedRange range, int limit);

  /**
   * Returns a member of a group.
   *
   * @param worker the scheduler of all work of the member, and of its handler
   * @param ready completes when the collection exists
   * @param handler handles a batch
   */
  static <T> ChangeProcessor member(
      ChangeGroup<T> group,
      Scheduler worker,
      ChangeProcessorOptions options,
      Mono<Void> ready,
      Function<List<ItemChanges<T>>, ? extends Publisher<?>> handler) {
    return new GroupMember<>(group, worker, options, ready, handler);
  }
}
