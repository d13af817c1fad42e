package io.kvreactive;

import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.RangeCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A set of checks and changes that are committed atomically. Obtained from {@link Kv#atomic}.
 * Values are encoded when they are added, so later changes of a mutable value have no effect. Not
 * thread-safe while it is built. A commit does not change the operation and may be repeated.
 *
 * <p>Checks are evaluated against the state before the operation. Then the changes are applied in
 * the order in which they were added, each seeing the changes before it. Then messages are
 * enqueued. If one part fails, nothing is applied.
 */
public final class AtomicOperation extends AtomicBuilder<AtomicOperation> {
  private final Function<Commit, Mono<CommitResult>> committer;
  private final LongSupplier clock;
  private final List<Check> checks = new ArrayList<>();
  private final List<RangeCheck> rangeChecks = new ArrayList<>();
  private final List<LongFunction<Mutation>> mutations = new ArrayList<>(); // functions of the time
  private final List<LongFunction<Enqueue>> enqueues = new ArrayList<>();
  private @Nullable String id;

  /**
   * Creates an operation; for implementations of {@link Kv}.
   *
   * @param committer the implementation of {@link #commit}; called and subscribed to once per
   *     execution
   * @param encoder the encoder of values; throws INVALID_VALUE
   * @param clock the time from which {@code expireIn} counts, in milliseconds since 1970
   */
  public AtomicOperation(
      Function<Commit, Mono<CommitResult>> committer,
      Function<@Nullable Object, KvValue> encoder,
      LongSupplier clock) {
    super(encoder);
    this.committer = committer;
    this.clock = clock;
  }

  @Override
  protected AtomicOperation self() {
    return this;
  }

  @Override
  protected AtomicOperation addCheck(Check check) {
    checks.add(check);
    return this;
  }

  @Override
  protected AtomicOperation addRangeCheck(RangeCheck check) {
    rangeChecks.add(check);
    return this;
  }

  @Override
  protected AtomicOperation addMutation(LongFunction<Mutation> mutation) {
    mutations.add(mutation);
    return this;
  }

  @Override
  protected AtomicOperation addEnqueue(LongFunction<Enqueue> enqueue) {
    enqueues.add(enqueue);
    return this;
  }

  /**
   * Makes the commit safe to send again. While the id is remembered (one day), a commit with the
   * same id changes nothing and emits the result of the first one. Commits whose checks failed, and
   * commits without changes, are not remembered.
   *
   * @param id an id that no other commit has, such as a UUID; not blank; its UTF-8 form has at most
   *     {@link KvLimits#maxKeyBytes} bytes
   * @throws KvException INVALID_ARGUMENT for a blank id
   */
  public AtomicOperation commitId(String id) {
    if (id.isBlank()) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "commitId: \"" + id + "\" (expected: not blank, and of no other commit)");
    }
    this.id = id;
    return this;
  }

  /**
   * Commits what has been added so far. Emits a {@link CommitResult}: committed with its
   * versionstamp and visible; or not committed, with the indexes of all failed checks. Errors
   * beside those of every write: INVALID_KEY for an empty key, TYPE_MISMATCH, OUT_OF_RANGE; nothing
   * was applied then.
   *
   * <p>A commit that changes nothing, such as one of checks alone or the touch of an absent key,
   * takes no versionstamp of its own. Its result has the versionstamp of the newest commit that it
   * saw, or {@link Versionstamp#ZERO} on a store without commits. (Deno KV assigns a new one.)
   * Deletes of absent keys count as changes.
   */
  public Mono<CommitResult> commit() {
    List<Check> checked = List.copyOf(checks);
    List<RangeCheck> unchanged = List.copyOf(rangeChecks);
    List<LongFunction<Mutation>> changes = List.copyOf(mutations);
    List<LongFunction<Enqueue>> messages = List.copyOf(enqueues);
    String commitId = id;
    return Mono.defer(
        () -> {
          long now = clock.getAsLong();
          List<Mutation> timed = changes.stream().map(change -> change.apply(now)).toList();
          List<Enqueue> enqueued = messages.stream().map(each -> each.apply(now)).toList();
          return committer.apply(new Commit(checked, unchanged, timed, enqueued, commitId));
        });
  }
}
