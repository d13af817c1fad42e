package io.kvreactive.internal.store;

import io.kvreactive.KvValue;
import java.nio.ByteBuffer;
import java.util.Comparator;

/**
 * A message that waits to be claimed. The value of its ready or leased record has the attempt and
 * the size, 4 bytes each.
 *
 * @param readyAt the earliest time of delivery, in milliseconds since 1970
 * @param id the message
 * @param attempt the number of the next delivery; the first is 1
 * @param size the bytes of the payload
 */
public record ReadyMessage(long readyAt, MessageId id, int attempt, int size) {
  /** The order of delivery: by time, then in commit order. */
  public static final Comparator<ReadyMessage> ORDER =
      Comparator.comparingLong(ReadyMessage::readyAt).thenComparing(ReadyMessage::id);

  /** Decodes a ready record. */
  public static ReadyMessage of(byte[] key, KvValue value) {
    ByteBuffer bytes = ByteBuffer.wrap(value.bytes());
    return new ReadyMessage(
        QueueKeys.readyAt(key), QueueKeys.id(key), bytes.getInt(), bytes.getInt());
  }

  /** Decodes a leased record, which does not have the time at which the message was ready. */
  public static ReadyMessage leased(byte[] key, KvValue value) {
    ByteBuffer bytes = ByteBuffer.wrap(value.bytes());
    return new ReadyMessage(0, QueueKeys.id(key), bytes.getInt(), bytes.getInt());
  }

  KvValue value() {
    ByteBuffer bytes = ByteBuffer.allocate(2 * Integer.BYTES).putInt(attempt).putInt(size);
    return new KvValue(KvValue.Encoding.BYTES, bytes.array());
  }
}
