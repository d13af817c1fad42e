package io.kvreactive.connect;

import com.google.protobuf.ByteString;
import io.kvreactive.CommitResult;
import io.kvreactive.EnqueueOptions;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.connect.wire.AtomicWrite;
import io.kvreactive.connect.wire.AtomicWriteOutput;
import io.kvreactive.connect.wire.AtomicWriteStatus;
import io.kvreactive.connect.wire.MutationType;
import io.kvreactive.internal.shared.ArgumentChecks;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.Mutation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Converts commits and their results between messages of the protocol and the engine, for servers.
 */
public final class WireCommits {
  private static final long NEVER = -1; // equivalent to 0
  private static final String DENO_QUEUE = "";
  private static final List<Long> DENO_BACKOFF =
      EnqueueOptions.DEFAULT.backoff().stream().map(Duration::toMillis).toList();

  private WireCommits() {}

  /**
   * Converts a commit.
   *
   * @param id the commit id, see {@link Commit}
   * @throws KvException INVALID_ARGUMENT, INVALID_VALUE, INVALID_VERSIONSTAMP
   */
  public static Commit commit(AtomicWrite write, @Nullable String id) {
    List<Check> checks = new ArrayList<>(write.getChecksCount());
    for (var check : write.getChecksList()) {
      checks.add(
          new Check(
              check.getKey().toByteArray(),
              WireEntries.versionstampIfAny(check.getVersionstamp())));
    }
    List<Mutation> mutations = new ArrayList<>(write.getMutationsCount());
    for (var mutation : write.getMutationsList()) {
      mutations.add(mutation(mutation));
    }
    List<Enqueue> enqueues = new ArrayList<>(write.getEnqueuesCount());
    for (var enqueue : write.getEnqueuesList()) {
      enqueues.add(enqueue(enqueue));
    }
    return new Commit(checks, List.of(), mutations, enqueues, id);
  }

  private static Mutation mutation(io.kvreactive.connect.wire.Mutation mutation) {
    byte[] key = mutation.getKey().toByteArray();
    MutationType type = mutation.getMutationType();
    return switch (type) {
      case M_SET -> new Mutation.Set(key, value(mutation), expireAt(mutation));
      case M_SET_SUFFIX_VERSIONSTAMPED_KEY ->
          new Mutation.SetVersionstamped(key, value(mutation), expireAt(mutation));
      case M_DELETE -> new Mutation.Delete(key);
      case M_SUM ->
          new Mutation.Sum(
              key,
              value(mutation),
              bound(mutation.getSumMin()),
              bound(mutation.getSumMax()),
              mutation.getSumClamp());
      case M_MIN -> new Mutation.Min(key, value(mutation));
      case M_MAX -> new Mutation.Max(key, value(mutation));
      case M_UNSPECIFIED, UNRECOGNIZED ->
          throw invalid(
              "mutation type: "
                  + mutation.getMutationTypeValue()
                  + " (expected: 1 to 5, or 9 for a key with the versionstamp)");
    };
  }

  private static KvValue value(io.kvreactive.connect.wire.Mutation mutation) {
    if (!mutation.hasValue()) {
      throw invalid("mutation " + mutation.getMutationType() + " without a value");
    }
    return WireEntries.value(mutation.getValue());
  }

  private static long expireAt(io.kvreactive.connect.wire.Mutation mutation) {
    long millis = mutation.getExpireAtMs();
    if (millis < NEVER) {
      throw invalid("expire_at_ms: " + millis + " (expected: 0 or -1 for never, or a time)");
    }
    return Math.max(0, millis);
  }

  private static byte @Nullable [] bound(ByteString bound) {
    return bound.isEmpty() ? null : bound.toByteArray();
  }

  /**
   * Converts a message to be enqueued. A missing schedule is Deno's default schedule, as in the
   * reference server.
   */
  private static Enqueue enqueue(io.kvreactive.connect.wire.Enqueue enqueue) {
    ArgumentChecks.atLeast("deadline_ms", enqueue.getDeadlineMs(), 0);
    List<Long> backoff =
        enqueue.getBackoffScheduleCount() == 0
            ? DENO_BACKOFF
            : enqueue.getBackoffScheduleList().stream().map(Integer::toUnsignedLong).toList();
    return new Enqueue(
        DENO_QUEUE,
        new KvValue(KvValue.Encoding.V8, enqueue.getPayload().toByteArray()),
        enqueue.getDeadlineMs(),
        backoff,
        enqueue.getKeysIfUndeliveredList().stream().map(ByteString::toByteArray).toList());
  }

  private static KvException invalid(String message) {
    return new KvException(KvErrorCode.INVALID_ARGUMENT, message);
  }

  /** Converts the result of a commit. */
  public static AtomicWriteOutput output(CommitResult result) {
    AtomicWriteOutput.Builder output = AtomicWriteOutput.newBuilder();
    if (result.versionstamp() == null) {
      return output
          .setStatus(AtomicWriteStatus.AW_CHECK_FAILURE)
          .addAllFailedChecks(result.failedChecks())
          .build();
    }
    return output
        .setStatus(AtomicWriteStatus.AW_SUCCESS)
        .setVersionstamp(WireEntries.versionstamp(result.versionstamp()))
        .build();
  }
}
