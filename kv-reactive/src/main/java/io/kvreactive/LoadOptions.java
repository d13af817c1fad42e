package io.kvreactive;

/**
 * How a load is cut into commits. Immutable; start from {@link #DEFAULT}. Commits never exceed the
 * store's {@link KvLimits}, whatever is said here; a larger record is a commit of its own.
 *
 * <p>A batch is committed when it is full or the records end, not after a time: of records that
 * come slowly, up to a batch is not durable yet. For those choose small batches.
 *
 * @param batchEntries most records of a commit, at least 1
 * @param batchBytes most bytes of keys and values of a commit, at least 1
 * @param concurrency most commits under way at a time, at least 1; so a load holds about one more
 *     than so many batches in memory
 */
public record LoadOptions(int batchEntries, int batchBytes, int concurrency) {
  /** A thousand records or 1 MiB a commit, eight commits at a time. */
  public static final LoadOptions DEFAULT = new LoadOptions(1000, 1 << 20, 8);

  /**
   * @throws KvException INVALID_ARGUMENT
   */
  public LoadOptions {
    atLeastOne("batchEntries", batchEntries);
    atLeastOne("batchBytes", batchBytes);
    atLeastOne("concurrency", concurrency);
  }

  private static void atLeastOne(String name, int value) {
    if (value < 1) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT, name + ": " + value + " (expected: at least 1)");
    }
  }

  /** At most so many records a commit. */
  public LoadOptions withBatchEntries(int batchEntries) {
    return new LoadOptions(batchEntries, batchBytes, concurrency);
  }

  /** At most so many bytes a commit. */
  public LoadOptions withBatchBytes(int batchBytes) {
    return new LoadOptions(batchEntries, batchBytes, concurrency);
  }

  /** At most so many commits at a time. */
  public LoadOptions withConcurrency(int concurrency) {
    return new LoadOptions(batchEntries, batchBytes, concurrency);
  }
}
