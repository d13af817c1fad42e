package io.kvreactive.postgres.internal;

import io.kvreactive.spi.Enqueue;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The redelivery of an unacknowledged message, stored in {@code message.redelivery}: the number of
 * waits, each as 8 bytes, the number of keys, and the length and bytes of each.
 *
 * @param backoff milliseconds to wait before each redelivery
 * @param undelivered encoded keys that take the payload when the last delivery has failed
 */
record QueueRow(List<Long> backoff, List<byte[]> undelivered) {
  static QueueRow of(Enqueue enqueue) {
    return new QueueRow(enqueue.backoff(), enqueue.keysIfUndelivered());
  }

  static QueueRow read(byte[] stored) {
    ByteBuffer in = ByteBuffer.wrap(stored);
    List<Long> backoff = new ArrayList<>();
    for (int left = in.getInt(); left > 0; left--) {
      backoff.add(in.getLong());
    }
    List<byte[]> undelivered = new ArrayList<>();
    for (int left = in.getInt(); left > 0; left--) {
      byte[] key = new byte[in.getInt()];
      in.get(key);
      undelivered.add(key);
    }
    return new QueueRow(backoff, undelivered);
  }

  byte[] stored() {
    int bytes = 2 * Integer.BYTES + backoff.size() * Long.BYTES;
    for (byte[] key : undelivered) {
      bytes += Integer.BYTES + key.length;
    }
    ByteBuffer out = ByteBuffer.allocate(bytes).putInt(backoff.size());
    backoff.forEach(out::putLong);
    out.putInt(undelivered.size());
    undelivered.forEach(key -> out.putInt(key.length).put(key));
    return out.array();
  }

  /** Returns true if the delivery of that number is the last. */
  boolean isLast(int attempt) {
    return attempt > backoff.size();
  }

  /** Returns the id of a message: 24 hex digits, ascending in commit order. */
  static String id(long version, int n) {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(version) + hex.toHexDigits(n);
  }

  /** Returns the version in the id of a message. */
  static long version(String id) {
    return HexFormat.fromHexDigitsToLong(id, 0, 2 * Long.BYTES);
  }

  /** Returns the number within its commit in the id of a message. */
  static int number(String id) {
    return HexFormat.fromHexDigits(id, 2 * Long.BYTES, id.length());
  }
}
