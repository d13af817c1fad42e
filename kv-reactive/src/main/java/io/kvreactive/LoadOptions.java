package io.kvreactive;

import io.kvreactive.internal.shared.ArgumentChecks;
import org.immutables.value.Value;

/**
 * Options of a bulk load. Immutable; start from {@link #DEFAULT}. Commits never exceed the store's
 * {@link KvLimits}, whatever these options say; a record larger than a batch is a commit of its
 * own.
 *
 * <p>A batch is committed when it is full or the records end, not after a time. Choose small
 * batches for slow sources: up to one batch of records is not yet committed.
 *
 * @param batchEntries the maximum number of records per commit, at least 1
 * @param batchBytes the maximum bytes of keys and values per commit, at least 1
 * @param concurrency the maximum number of concurrent commits, at least 1; a load holds about one
 *     batch more than that in memory
 */
@Value.Builder
public record LoadOptions(int batchEntries, int batchBytes, int concurrency)
    implements WithLoadOptions {
  /** The default: a thousand records or 1 MiB per commit, eight concurrent commits. */
  public static final LoadOptions DEFAULT = new LoadOptions(1000, 1 << 20, 8);

  /**
   * Checks the options.
   *
   * @throws KvException INVALID_ARGUMENT
   */
  public LoadOptions {
    ArgumentChecks.atLeast("batchEntries", batchEntries, 1);
    ArgumentChecks.atLeast("batchBytes", batchBytes, 1);
    ArgumentChecks.atLeast("concurrency", concurrency, 1);
  }
}
