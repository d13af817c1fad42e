package io.kvreactive.documents.internal.collection;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import io.kvreactive.KvLimits;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One commit of the writes of several items. Each item is planned on its own. Two items must
 * therefore not share a key whose order matters, such as a unique value released by one item and
 * taken by another.
 */
final class ItemBatchCommit {
  private static final long MAX_BYTES = 8 << 20;

  private final KvLimits limits;
  private final List<Check> checks = new ArrayList<>();
  private final List<Mutation> mutations = new ArrayList<>();
  private final Set<ByteBuffer> touched = new HashSet<>();
  private long bytes;
  private long keyBytes;

  ItemBatchCommit(KvLimits limits) {
    this.limits = limits;
  }

  boolean isEmpty() {
    return checks.isEmpty();
  }

  /**
   * Adds the commit of one item.
   *
   * @param one the item's own commit; all commits are of one collection
   * @return false if the commit does not fit beside the others, or does not fit at all; then
   *     nothing was added
   */
  boolean add(Commit one) {
    List<Check> more =
        isEmpty() ? one.checks() : one.checks().subList(1, one.checks().size()); // shared
    long addedKeys = 0;
    long added = 0;
    for (Mutation mutation : one.mutations()) {
      checkpoint();
      int key = mutation.key().length;
      added += key;
      if (mutation instanceof Mutation.Set set) {
        addedKeys += key;
        added += key + set.value().bytes().length;
      }
    }
    if (checks.size() + more.size() > limits.maxChecks()
        || mutations.size() + one.mutations().size() > limits.maxMutations()
        || keyBytes + addedKeys > limits.maxCommitKeyBytes()
        || bytes + added > limits.maxCommitBytes()
        || !isEmpty() && bytes + added > MAX_BYTES) {
      return false;
    }
    Set<ByteBuffer> keysOfItem = touched(one);
    if (keysOfItem.stream().anyMatch(touched::contains)) {
      return false;
    }
    touched.addAll(keysOfItem);
    checks.addAll(more);
    mutations.addAll(one.mutations());
    bytes += added;
    keyBytes += addedKeys;
    return true;
  }

  /**
   * Returns the keys of a commit that other items must not share. Keys written without a check are
   * the item's own.
   */
  private static Set<ByteBuffer> touched(Commit one) {
    Set<ByteBuffer> keys = new HashSet<>();
    for (Check check : one.checks().subList(1, one.checks().size())) {
      keys.add(ByteBuffer.wrap(check.key()));
    }
    for (Mutation mutation : one.mutations()) {
      checkpoint();
      if (!(mutation instanceof Mutation.Set set && set.blind())) {
        keys.add(ByteBuffer.wrap(mutation.key()));
      }
    }
    return keys;
  }

  Commit build() {
    mutations.sort(ItemCommit.BY_KEY);
    return new Commit(checks, mutations);
  }
}
