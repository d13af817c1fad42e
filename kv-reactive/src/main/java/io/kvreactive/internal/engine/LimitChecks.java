package io.kvreactive.internal.engine;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.KvValue;
import io.kvreactive.internal.shared.ArgumentChecks;
import io.kvreactive.internal.store.SystemKeys;
import io.kvreactive.internal.value.MutationSize;
import io.kvreactive.json.Utf8;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.Finish;
import io.kvreactive.spi.MergeOperators;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.RangeCheck;
import io.kvreactive.spi.ReadRange;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Checks requests against {@link KvLimits}, before any effect. Thread-safe. */
public final class LimitChecks {
  /** Maximum length that the length prefix of a name in a key can represent. */
  private static final int MAX_QUEUE_NAME_BYTES = 0xFFFF;

  private final KvLimits limits;

  public LimitChecks(KvLimits limits) {
    this.limits = limits;
  }

  public void read(List<ReadRange> ranges) {
    for (ReadRange range : ranges) {
      if (range.isPoint()) {
        bytes("key", range.start(), limits.maxReadKeyBytes() - 1);
      } else {
        bytes("start of range", range.start(), limits.maxReadKeyBytes());
        bytes("end of range", range.end(), limits.maxReadKeyBytes());
      }
      ArgumentChecks.atLeast("limit", range.limit(), 1);
    }
  }

  public void watch(List<byte[]> keys) {
    ArgumentChecks.withinLimit("watched keys", keys.size(), limits.maxWatchedKeys());
    keys.forEach(key -> bytes("key", key, limits.maxReadKeyBytes()));
  }

  /** Checks the name of a queue. */
  void queue(String queue) {
    byte[] name = encoded("name of a queue", queue);
    bytes("name of a queue", name, Math.min(limits.maxQueueNameBytes(), MAX_QUEUE_NAME_BYTES));
  }

  /**
   * Encodes a name. Names are stored as UTF-8, in which all unpaired surrogates would become the
   * same byte.
   */
  private static byte[] encoded(String what, String name) {
    if (!Utf8.isWellFormed(name)) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          what + ": \"" + name + "\" (expected: text without lone surrogates)");
    }
    return name.getBytes(StandardCharsets.UTF_8);
  }

  void finish(Finish how) {
    Long wait = how instanceof Finish.Retry retry ? retry.afterMillis() : null;
    if (wait != null) {
      ArgumentChecks.atLeast("time until the next delivery, ms", wait, 0);
      long most = TimeUnit.SECONDS.toMillis(limits.maxDelaySeconds());
      if (wait > most) {
        throw new KvException(
            KvErrorCode.LIMIT_EXCEEDED,
            "time until the next delivery: " + wait + " ms (expected: at most " + most + " ms)");
      }
    }
  }

  /**
   * The cost of a commit.
   *
   * @param bytes the size in the mailbox
   * @param work the estimated work of the store thread; see {@link KvLimits}
   */
  public record Cost(long bytes, long work) {}

  /**
   * Checks a commit and returns its cost.
   *
   * @param now the engine's time
   * @throws KvException LIMIT_EXCEEDED, INVALID_KEY, INVALID_ARGUMENT
   */
  public Cost commit(Commit commit, long now) {
    int allChecks = commit.checks().size() + commit.rangeChecks().size();
    ArgumentChecks.withinLimit("checks", allChecks, limits.maxChecks());
    int changes = commit.mutations().size() + commit.enqueues().size();
    ArgumentChecks.withinLimit("mutations and messages", changes, limits.maxMutations());
    long total = 0;
    long keys = 0;
    int rangeDeletions = 0;
    for (Check check : commit.checks()) {
      written(check.key());
      total += check.key().length;
    }
    for (RangeCheck check : commit.rangeChecks()) {
      bytes("start of range", check.start(), limits.maxReadKeyBytes());
      bytes("end of range", check.end(), limits.maxReadKeyBytes());
      total += check.start().length + check.end().length;
    }
    String id = commit.id();
    if (id != null) {
      byte[] encoded = encoded("commit id", id);
      bytes("commit id", encoded, limits.maxKeyBytes());
      total += encoded.length;
    }
    for (Mutation mutation : commit.mutations()) {
      if (mutation instanceof Mutation.DeleteRange range) {
        bytes("start of range", range.key(), limits.maxReadKeyBytes());
        bytes("end of range", range.end(), limits.maxReadKeyBytes());
        rangeDeletions++;
      } else {
        written(mutation.key());
      }
      KvValue value = mutation.value();
      if (value != null) {
        bytes("value", value.bytes(), limits.maxValueBytes());
      }
      if (mutation instanceof Mutation.Sum sum) {
        MergeOperators.checkLengths(sum);
      }
      keys += MutationSize.keyBytes(mutation);
      total += MutationSize.bytes(mutation);
    }
    for (Enqueue enqueue : commit.enqueues()) {
      enqueue(enqueue, now);
      total += MutationSize.bytes(enqueue);
    }
    ArgumentChecks.withinLimit("deletions of ranges", rangeDeletions, limits.maxRangeDeletions());
    ArgumentChecks.withinLimit("bytes of keys in a commit", keys, limits.maxCommitKeyBytes());
    ArgumentChecks.withinLimit("bytes in a commit", total, limits.maxCommitBytes());
    long work = MutationSize.work(commit);
    ArgumentChecks.withinLimit("estimated work of a commit", work, limits.maxCommitWork());
    return new Cost(total, work);
  }

  private void enqueue(Enqueue enqueue, long now) {
    queue(enqueue.queue());
    bytes("message", enqueue.payload().bytes(), limits.maxMessageBytes());
    delay(enqueue.deliverAt(), now);
    List<Long> backoff = enqueue.backoff();
    ArgumentChecks.withinLimit("backoff steps", backoff.size(), limits.maxBackoffSteps());
    for (int i = 0; i < backoff.size(); i++) {
      String what = "backoff[" + i + "], ms";
      ArgumentChecks.atLeast(what, backoff.get(i), 0);
      ArgumentChecks.withinLimit(what, backoff.get(i), limits.maxBackoffMillis());
    }
    ArgumentChecks.withinLimit(
        "keys if undelivered", enqueue.keysIfUndelivered().size(), limits.maxUndeliveredKeys());
    enqueue.keysIfUndelivered().forEach(this::written);
    long undelivered = (long) enqueue.payload().bytes().length * enqueue.keysIfUndelivered().size();
    ArgumentChecks.withinLimit(
        "bytes that an undelivered message writes", undelivered, limits.maxCommitBytes());
  }

  private void delay(long deliverAt, long now) {
    ArgumentChecks.atLeast("deliverAt", deliverAt, 0);
    long most = TimeUnit.SECONDS.toMillis(limits.maxDelaySeconds());
    if (deliverAt - now > most) {
      throw new KvException(
          KvErrorCode.LIMIT_EXCEEDED,
          "delay: " + (deliverAt - now) + " ms (expected: at most " + most + " ms)");
    }
  }

  private void written(byte[] key) {
    if (key.length == 0) {
      throw new KvException(
          KvErrorCode.INVALID_KEY, "key: [] (expected: at least one part to check or write)");
    }
    if (SystemKeys.isSystem(key)) {
      throw new KvException(
          KvErrorCode.INVALID_KEY, "key: first byte 255 (expected: an encoded key)");
    }
    bytes("key", key, limits.maxKeyBytes());
  }

  private static void bytes(String what, byte[] bytes, int limit) {
    if (bytes.length > limit) {
      throw new KvException(
          KvErrorCode.LIMIT_EXCEEDED,
          what + " of " + bytes.length + " bytes (expected: at most " + limit + ")");
    }
  }
}
