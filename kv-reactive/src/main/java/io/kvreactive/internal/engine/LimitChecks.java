package io.kvreactive.internal.engine;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.KvValue;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.ReadRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Refuses what exceeds {@link KvLimits}, before any effect. */
final class LimitChecks {
  private final KvLimits limits;

  LimitChecks(KvLimits limits) {
    this.limits = limits;
  }

  void read(List<ReadRange> ranges) {
    for (ReadRange range : ranges) {
      if (range.isPoint()) {
        bytes("key", range.start(), limits.maxReadKeyBytes() - 1);
      } else {
        bytes("start of range", range.start(), limits.maxReadKeyBytes());
        bytes("end of range", range.end(), limits.maxReadKeyBytes());
      }
      if (range.limit() < 1) {
        throw new KvException(
            KvErrorCode.INVALID_ARGUMENT, "limit: " + range.limit() + " (expected: >= 1)");
      }
    }
  }

  void watch(List<byte[]> keys) {
    count("watched keys", keys.size(), limits.maxWatchedKeys());
    keys.forEach(key -> bytes("key", key, limits.maxReadKeyBytes()));
  }

  /** Returns the bytes that the commit takes in the mailbox. */
  long commit(Commit commit) {
    count("checks", commit.checks().size(), limits.maxChecks());
    count("mutations", commit.mutations().size(), limits.maxMutations());
    long total = 0;
    long keys = 0;
    for (Check check : commit.checks()) {
      written(check.key());
      total += check.key().length;
    }
    for (Mutation mutation : commit.mutations()) {
      int key = mutation.key().length;
      KvValue value = value(mutation);
      if (mutation instanceof Mutation.DeleteRange range) {
        bytes("start of range", range.key(), limits.maxReadKeyBytes());
        bytes("end of range", range.end(), limits.maxReadKeyBytes());
        total += key + range.end().length;
      } else {
        written(mutation.key());
        total += key;
      }
      if (value != null) {
        bytes("value", value.bytes(), limits.maxValueBytes());
        keys += key;
        total += key + value.bytes().length;
      }
      if (mutation instanceof Mutation.Sum sum) {
        total += bound(sum.min()) + bound(sum.max());
      }
    }
    count("bytes of keys in a commit", keys, limits.maxCommitKeyBytes());
    count("bytes in a commit", total, limits.maxCommitBytes());
    return total;
  }

  private int bound(byte @Nullable [] bound) {
    if (bound == null) {
      return 0;
    }
    bytes("bound of a sum", bound, limits.maxValueBytes());
    return bound.length;
  }

  private static @Nullable KvValue value(Mutation mutation) {
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

  private void written(byte[] key) {
    if (key.length == 0) {
      throw new KvException(
          KvErrorCode.INVALID_KEY, "key: [] (expected: at least one part to check or write)");
    }
    bytes("key", key, limits.maxKeyBytes());
  }

  private static void bytes(String what, byte[] bytes, int limit) {
    if (bytes.length > limit) {
      throw exceeded(what + " of " + bytes.length + " bytes", limit);
    }
  }

  private static void count(String what, long count, int limit) {
    if (count > limit) {
      throw exceeded(what + ": " + count, limit);
    }
  }

  private static KvException exceeded(String what, int limit) {
    return new KvException(KvErrorCode.LIMIT_EXCEEDED, what + " (expected: at most " + limit + ")");
  }
}
