package io.kvreactive.internal.store;

import io.kvreactive.KvValue;
import io.kvreactive.spi.Enqueue;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The stored form of a message. Numbers are varints, low bits first:
 *
 * <pre>
 * byte           format, 1
 * byte           encoding of the payload
 * number         time of the enqueue, milliseconds since 1970
 * number, n x    waits before redeliveries: their number, and milliseconds of each
 * number, n x    keys if undelivered: their number, and the length and bytes of each
 * bytes          the payload
 * </pre>
 *
 * @param payload the message
 * @param enqueuedAt the time of the enqueue, in milliseconds since 1970
 * @param backoff the milliseconds to wait before each redelivery
 * @param keysIfUndelivered the encoded keys to which an undelivered message is written
 */
public record QueuedMessage(
    KvValue payload, long enqueuedAt, List<Long> backoff, List<byte[]> keysIfUndelivered) {
  private static final byte FORMAT = 1;
  private static final int MAX_VARINT = 10;

  static QueuedMessage of(Enqueue enqueue, long now) {
    return new QueuedMessage(
        enqueue.payload(), now, enqueue.backoff(), enqueue.keysIfUndelivered());
  }

  /** Returns true if a delivery is the last one. */
  public boolean isLast(int attempt) {
    return attempt > backoff.size();
  }

  KvValue encoded() {
    int most = 2 + MAX_VARINT * (3 + backoff.size() + keysIfUndelivered.size());
    for (byte[] key : keysIfUndelivered) {
      most += key.length;
    }
    ByteBuffer out = ByteBuffer.allocate(most + payload.bytes().length);
    out.put(FORMAT).put((byte) payload.encoding().code());
    put(out, enqueuedAt);
    put(out, backoff.size());
    backoff.forEach(millis -> put(out, millis));
    put(out, keysIfUndelivered.size());
    for (byte[] key : keysIfUndelivered) {
      put(out, key.length);
      out.put(key);
    }
    out.put(payload.bytes());
    return new KvValue(KvValue.Encoding.BYTES, Arrays.copyOf(out.array(), out.position()));
  }

  /** Decodes a stored message. */
  public static QueuedMessage read(KvValue stored) {
    ByteBuffer in = ByteBuffer.wrap(stored.bytes());
    byte format = in.get();
    if (format != FORMAT) {
      throw new IllegalArgumentException("message format " + format);
    }
    KvValue.Encoding encoding = KvValue.Encoding.of(in.get());
    long enqueuedAt = get(in);
    List<Long> backoff = new ArrayList<>();
    for (long left = get(in); left > 0; left--) {
      backoff.add(get(in));
    }
    List<byte[]> keys = new ArrayList<>();
    for (long left = get(in); left > 0; left--) {
      byte[] key = new byte[(int) get(in)];
      in.get(key);
      keys.add(key);
    }
    byte[] payload = new byte[in.remaining()];
    in.get(payload);
    return new QueuedMessage(new KvValue(encoding, payload), enqueuedAt, backoff, keys);
  }

  private static void put(ByteBuffer out, long number) {
    long rest = number;
    while ((rest & ~0x7FL) != 0) {
      out.put((byte) (rest & 0x7F | 0x80));
      rest >>>= 7;
    }
    out.put((byte) rest);
  }

  private static long get(ByteBuffer in) {
    long number = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      byte next = in.get();
      number |= (next & 0x7FL) << shift;
      if (next >= 0) {
        break;
      }
    }
    return number;
  }
}
