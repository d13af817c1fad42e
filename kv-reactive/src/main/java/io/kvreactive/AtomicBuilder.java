package io.kvreactive;

import io.kvreactive.spi.Check;
import io.kvreactive.spi.RangeCheck;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A builder of checks and changes, the common base of {@link AtomicOperation} and {@link
 * BatchedAtomicOperation}.
 *
 * @param <S> the type of the builder itself
 */
public abstract class AtomicBuilder<S extends AtomicBuilder<S>> extends MutationBuilder<S> {
  /**
   * Creates a builder.
   *
   * @param encoder the encoder of values; throws INVALID_VALUE
   */
  protected AtomicBuilder(Function<@Nullable Object, KvValue> encoder) {
    super(encoder);
  }

  /** Returns the builder itself. */
  protected abstract S self();

  /** Adds a check of a key and returns the builder. */
  protected abstract S addCheck(Check check);

  /** Adds a check of a range and returns the builder. */
  protected abstract S addRangeCheck(RangeCheck check);

  /** Commits only if the key has this versionstamp, or, for null, if the key is absent. */
  public S check(KvKey key, @Nullable Versionstamp versionstamp) {
    return addCheck(new Check(key.bytes(), versionstamp));
  }

  /**
   * Commits only if each key is unchanged since it was read: the same versionstamp, or still
   * absent.
   */
  public S check(KvEntry<?>... entries) {
    return check(List.of(entries));
  }

  /** Commits only if each key is unchanged since {@link Kv#getMany} read it. */
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
   * Commits only if nothing in the range has changed since a version: no key was added, deleted or
   * rewritten. A key whose expiry has passed is no change. The check also fails if the store no
   * longer knows the commits since that version. In {@link CommitResult#failedChecks} the indexes
   * of range checks follow those of the checks of keys.
   */
  public S checkUnchanged(KvRange range, Versionstamp since) {
    return addRangeCheck(new RangeCheck(range.startBytes(), range.endBytes(), since, 0));
  }
}
