package io.kvreactive;

import io.kvreactive.spi.Check;
import io.kvreactive.spi.RangeCheck;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Checks and changes: what {@link AtomicOperation} and {@link BatchedAtomicOperation} are built of.
 *
 * @param <S> the builder itself
 */
public abstract class AtomicBuilder<S extends AtomicBuilder<S>> extends MutationBuilder<S> {
  /**
   * @param encoder how values are encoded; throws INVALID_VALUE
   */
  protected AtomicBuilder(Function<@Nullable Object, KvValue> encoder) {
    super(encoder);
  }

  /** Returns the builder itself. */
  protected abstract S self();

  /** Takes a check of a key; returns the builder. */
  protected abstract S addCheck(Check check);

  /** Takes a check of a range; returns the builder. */
  protected abstract S addRangeCheck(RangeCheck check);

  /** Commits only if the key has this versionstamp; null: only if it is absent. */
  public S check(KvKey key, @Nullable Versionstamp versionstamp) {
    return addCheck(new Check(key.bytes(), versionstamp));
  }

  /** Commits only if each key is as it was read: the same versionstamp, or still absent. */
  public S check(KvEntry<?>... entries) {
    return check(List.of(entries));
  }

  /** Like {@link #check(KvEntry[])}, for what {@link Kv#getMany} has read. */
  public S check(Iterable<? extends KvEntry<?>> entries) {
    for (KvEntry<?> entry : entries) {
      var unused = check(entry.key(), entry.versionstamp());
    }
    return self();
  }

  /** Commits only if each key is absent. */
  public S checkAbsent(KvKey... keys) {
    for (KvKey key : keys) {
      var unused = check(key, (Versionstamp) null);
    }
    return self();
  }

  /**
   * Commits only if nothing in the range has changed since a version: no key came, went or was
   * rewritten; that a key's time of expiry has come is no change. What has happened in the store
   * since then must be recent enough to be remembered, else the check fails as well. In {@link
   * CommitResult#failedChecks} the indexes of these follow those of the checks of keys.
   */
  public S checkUnchanged(KvRange range, Versionstamp since) {
    return addRangeCheck(new RangeCheck(range.startBytes(), range.endBytes(), since, 0));
  }
}
