package io.kvreactive.internal.mutation;

import io.kvreactive.KvValue;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.Mutation;
import org.jspecify.annotations.Nullable;

/** How changes count towards {@code KvLimits}. */
public final class MutationSize {
  private MutationSize() {}

  /** Bytes of keys and values; the key of a mutation with a value counts twice. */
  public static long bytes(Mutation mutation) {
    long bytes = (long) mutation.key().length + keyBytes(mutation);
    KvValue value = value(mutation);
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

  /** Bytes of a message, as they count into a commit. */
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

  /** Bytes of the key of a mutation with a value; 0 for others. */
  public static int keyBytes(Mutation mutation) {
    return value(mutation) == null ? 0 : mutation.key().length;
  }

  /** The value or operand; null when there is none. */
  public static @Nullable KvValue value(Mutation mutation) {
    if (mutation instanceof Mutation.Set set) {
      return set.value();
    }
    if (mutation instanceof Mutation.SetSuffixed set) {
      return set.value();
    }
    if (mutation instanceof Mutation.Sum sum) {
      return sum.operand();
    }
    if (mutation instanceof Mutation.Min min) {
      return min.operand();
    }
    return mutation instanceof Mutation.Max max ? max.operand() : null;
  }
}
