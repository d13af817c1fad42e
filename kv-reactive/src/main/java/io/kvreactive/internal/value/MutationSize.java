package io.kvreactive.internal.value;

import io.kvreactive.KvValue;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.Mutation;
import org.jspecify.annotations.Nullable;

/** Computes the bytes and the work of changes for {@code KvLimits}. */
public final class MutationSize {
  /** Work of a check of a range. */
  public static final int RANGE_CHECK_WORK = 4;

  /** Work of a check of a key. */
  public static final int CHECK_WORK = 1;

  private static final int BYTES_PER_WORK = 1024;
  private static final int DELETE_RANGE_WORK = 100;
  private static final int BIGINT_SUM_WORK = 10;
  private static final int READ_AND_WRITE_WORK = 2;
  private static final int ENQUEUE_WORK = 4;

  private MutationSize() {}

  /**
   * Returns an estimate of the cost of a mutation for the store thread. One unit is a key that is
   * read and written, or a kibibyte; see {@code KvLimits.maxCommitWork}.
   */
  public static long work(Mutation mutation) {
    return keyWork(mutation) + bytes(mutation) / BYTES_PER_WORK;
  }

  private static int keyWork(Mutation mutation) {
    return switch (mutation.kind()) {
      case SET, SET_VERSIONSTAMPED, DELETE -> 1;
      case DELETE_RANGE -> DELETE_RANGE_WORK;
      case MIN, MAX, TOUCH -> READ_AND_WRITE_WORK;
      case SUM ->
          ((Mutation.Sum) mutation).operand().encoding() == KvValue.Encoding.LE64
              ? READ_AND_WRITE_WORK
              : BIGINT_SUM_WORK;
    };
  }

  /** Returns the work of a message, which is stored in several records. */
  public static long work(Enqueue enqueue) {
    return ENQUEUE_WORK + bytes(enqueue) / BYTES_PER_WORK;
  }

  /** Returns the work of a whole commit. */
  public static long work(Commit commit) {
    long work = (long) CHECK_WORK * commit.checks().size();
    work += (long) RANGE_CHECK_WORK * commit.rangeChecks().size();
    for (Mutation mutation : commit.mutations()) {
      work += work(mutation);
    }
    for (Enqueue enqueue : commit.enqueues()) {
      work += work(enqueue);
    }
    return work;
  }

  /** Returns the bytes of keys and values; the key of a mutation with a value counts twice. */
  public static long bytes(Mutation mutation) {
    long bytes = (long) mutation.key().length + keyBytes(mutation);
    KvValue value = mutation.value();
    if (value != null) {
      bytes += value.bytes().length;
    }
    if (mutation instanceof Mutation.DeleteRange range) {
      bytes += range.end().length;
    }
    if (mutation instanceof Mutation.Sum sum) {
      bytes += length(sum.min()) + length(sum.max());
    }
    return bytes;
  }

  /** Returns the bytes of a message that count towards the size of a commit. */
  public static long bytes(Enqueue enqueue) {
    long bytes = enqueue.payload().bytes().length;
    bytes += (long) Integer.BYTES * enqueue.backoff().size();
    for (byte[] key : enqueue.keysIfUndelivered()) {
      bytes += key.length;
    }
    return bytes;
  }

  private static int length(byte @Nullable [] bytes) {
    return bytes == null ? 0 : bytes.length;
  }

  /** Returns the bytes of the key of a mutation with a value; 0 for others. */
  public static int keyBytes(Mutation mutation) {
    return mutation.value() == null ? 0 : mutation.key().length;
  }
}
