package io.kvreactive.documents;

import io.kvreactive.Versionstamp;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A member of a group that handles the changes of a collection together, as a change feed processor
 * of Azure Cosmos DB does. Members may run in one process, in several that are connected to a
 * server, or in several on a shared store.
 *
 * <p>The group divides the hashes of partition keys into ranges. A member handles the ranges that
 * it has leased. Leases and positions are kept in the store. Members that join ask others for a
 * fair share of the ranges, and get them between two batches. The ranges of a closed member are
 * free at once, those of a crashed member when its leases have expired.
 *
 * <p>Each change is handled at least once. The position of a range is stored after the handler has
 * completed. So the last batch of a range may be handled again after a crash. Changes of one
 * partition key are handled in commit order, one batch at a time. In a collection without a
 * partition key this holds for each item. A batch whose handler fails is handled again after a
 * pause until it succeeds; meanwhile other ranges continue.
 *
 * <p>Thread-safe.
 */
public interface ChangeProcessor {
  /**
   * The state of a range.
   *
   * @param range the number of the range, from 0
   * @param owner the id of the member that has leased the range; null if it is free
   * @param continuation the position up to which the changes have been handled
   * @param lag the number of changes that have not been handled yet, at most 10,000
   * @param hasMore true if more changes than {@code lag} have not been handled
   */
  record RangeState(
      int range, @Nullable String owner, Versionstamp continuation, int lag, boolean hasMore) {}

  /** Returns the id of this member, unique among all members. */
  String id();

  /**
   * Joins the group, and creates it if it does not exist; completes when the member is known to the
   * group and has leased the ranges that were free. Idempotent. Error: COLLECTION_NOT_FOUND.
   */
  Mono<Void> start();

  /**
   * Completes when this member has been closed. Error: COMPACTED if the store no longer keeps the
   * changes after the position of the group; COLLECTION_NOT_FOUND if the collection was dropped;
   * CLOSED if the store was closed.
   */
  Mono<Void> ended();

  /**
   * Emits the state of all ranges of the group. Reads the changes of the whole collection after the
   * position of each range, until the lag of the range reaches its maximum.
   */
  Mono<List<RangeState>> state();

  /**
   * Leaves the group. Completes when the batches in progress have been handled, or their handlers
   * have failed, and the leases are released. Idempotent.
   */
  Mono<Void> close();
}
