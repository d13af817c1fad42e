package io.kvreactive.connect.internal;

import com.google.protobuf.ByteString;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.connect.WireEntries;
import io.kvreactive.connect.wire.AtomicWrite;
import io.kvreactive.connect.wire.Mutation;
import io.kvreactive.connect.wire.MutationType;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Enqueue;
import org.jspecify.annotations.Nullable;

/** Converts commits to messages of the protocol, as far as the protocol supports them. */
final class CommitRequests {
  private CommitRequests() {}

  /**
   * @param ours true for a server of this project
   * @param now the delivery time of messages without delay, for servers that require one
   * @throws KvException UNSUPPORTED, INVALID_VALUE; nothing was sent
   */
  static AtomicWrite message(Commit commit, boolean ours, long now) {
    if (!commit.rangeChecks().isEmpty()) {
      throw unsupported("a check of a range, as of a list in a transaction", "checks of keys");
    }
    if (commit.id() != null && !ours) {
      throw unsupported("a commit id", "a server of kv-reactive, or checks");
    }
    AtomicWrite.Builder write = AtomicWrite.newBuilder();
    for (Check check : commit.checks()) {
      var builder = write.addChecksBuilder().setKey(WireEntries.bytes(check.key()));
      if (check.versionstamp() != null) {
        builder.setVersionstamp(WireEntries.versionstamp(check.versionstamp()));
      }
    }
    commit.mutations().forEach(mutation -> write.addMutations(mutation(mutation)));
    commit.enqueues().forEach(enqueue -> write.addEnqueues(enqueue(enqueue, ours, now)));
    return write.build();
  }

  private static Mutation mutation(io.kvreactive.spi.Mutation mutation) {
    Mutation.Builder message = Mutation.newBuilder().setKey(WireEntries.bytes(mutation.key()));
    KvValue value = mutation.value();
    if (value != null) {
      message.setValue(WireEntries.value(value));
    }
    switch (mutation.kind()) {
      case SET ->
          message
              .setMutationType(MutationType.M_SET)
              .setExpireAtMs(((io.kvreactive.spi.Mutation.Set) mutation).expireAt());
      case SET_VERSIONSTAMPED ->
          message
              .setMutationType(MutationType.M_SET_SUFFIX_VERSIONSTAMPED_KEY)
              .setExpireAtMs(((io.kvreactive.spi.Mutation.SetVersionstamped) mutation).expireAt());
      case DELETE -> message.setMutationType(MutationType.M_DELETE);
      case SUM -> {
        var sum = (io.kvreactive.spi.Mutation.Sum) mutation;
        message
            .setMutationType(MutationType.M_SUM)
            .setSumMin(bound(sum.min()))
            .setSumMax(bound(sum.max()))
            .setSumClamp(sum.clamp());
      }
      case MIN -> message.setMutationType(MutationType.M_MIN);
      case MAX -> message.setMutationType(MutationType.M_MAX);
      case TOUCH -> throw unsupported("touch", "the key set again, with another expiry");
      case DELETE_RANGE ->
          throw unsupported("deleteRange", "the keys listed, and deleted by batchedAtomic()");
    }
    return message.build();
  }

  private static ByteString bound(byte @Nullable [] bound) {
    return bound == null ? ByteString.EMPTY : WireEntries.bytes(bound);
  }

  private static io.kvreactive.connect.wire.Enqueue enqueue(
      Enqueue enqueue, boolean ours, long now) {
    if (!enqueue.queue().isEmpty()) {
      throw unsupported("queue \"" + enqueue.queue() + "\"", "the one without a name");
    }
    if (enqueue.backoff().isEmpty()) {
      throw unsupported(
          "a message without redeliveries", "a backoff; KV Connect supports none for Deno's");
    }
    var message =
        io.kvreactive.connect.wire.Enqueue.newBuilder()
            .setPayload(WireEntries.bytes(payload(enqueue.payload())))
            .setDeadlineMs(enqueue.deliverAt() == 0 && !ours ? now : enqueue.deliverAt());
    for (long wait : enqueue.backoff()) {
      message.addBackoffSchedule((int) Math.min(wait, Integer.MAX_VALUE));
    }
    enqueue
        .keysIfUndelivered()
        .forEach(key -> message.addKeysIfUndelivered(WireEntries.bytes(key)));
    return message.build();
  }

  /**
   * Returns the payload of a message, which is a structured clone on the wire even if it is bytes.
   */
  private static byte[] payload(KvValue payload) {
    return switch (payload.encoding()) {
      case V8 -> payload.bytes();
      case BYTES -> Uint8Arrays.structuredClone(payload.bytes());
      case LE64 ->
          throw new KvException(
              KvErrorCode.INVALID_VALUE,
              "a KvU64 as a message to a remote store (expected: another value, such as a bigint)");
    };
  }

  private static KvException unsupported(String what, String expected) {
    return new KvException(
        KvErrorCode.UNSUPPORTED,
        what + " in a remote store: not supported by KV Connect (expected: " + expected + ")");
  }
}
