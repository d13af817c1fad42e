package io.kvreactive.internal.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The keys of the records of one queue: 0xFF, 'q', the kind, two bytes with the length of the
 * queue's name in UTF-8, the name, and then
 *
 * <pre>
 * 'd'                            the number of messages, leased ones included: 8 bytes
 * 'l' version (8) index (4)      a leased message: see {@link ReadyMessage}
 * 'p' version (8) index (4)      a message: see {@link QueuedMessage}
 * 'r' millis (8) version, index  a delayed or ready message: see {@link ReadyMessage}
 * </pre>
 *
 * A message has one 'p', and either one 'r' or one 'l'.
 */
public final class QueueKeys {
  private static final byte QUEUE = 'q';
  private static final byte DEPTH = 'd';
  private static final byte LEASED = 'l';
  private static final byte MESSAGE = 'p';
  private static final byte READY = 'r';
  private static final int HEADER = 5;

  private final String queue;
  private final byte[] name;

  private QueueKeys(String queue) {
    this.queue = queue;
    this.name = queue.getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the keys of a queue. The UTF-8 form of its name has at most 65,535 bytes. */
  public static QueueKeys of(String queue) {
    return new QueueKeys(queue);
  }

  /** Returns the queue of a key. */
  public static String queueOf(byte[] key) {
    int length = (key[3] & 0xFF) << 8 | key[4] & 0xFF;
    return new String(key, HEADER, length, StandardCharsets.UTF_8);
  }

  /** Returns true if a key is in a queue's index of delayed and ready messages. */
  public static boolean isReady(byte[] key) {
    return key.length > HEADER
        && (key[0] & 0xFF) == SystemKeys.PREFIX
        && key[1] == QUEUE
        && key[2] == READY;
  }

  /** Returns the time at which the message of an 'r' key is ready, in milliseconds since 1970. */
  public static long readyAt(byte[] key) {
    return ByteBuffer.wrap(key).getLong(key.length - MessageId.BYTES - Long.BYTES);
  }

  /** Returns the id of the message of an 'r' or 'l' key. */
  public static MessageId id(byte[] key) {
    ByteBuffer bytes = ByteBuffer.wrap(key);
    int at = key.length - MessageId.BYTES;
    return new MessageId(bytes.getLong(at), bytes.getInt(at + Long.BYTES));
  }

  /** Returns the inclusive start of the leased messages of all queues. */
  public static byte[] allLeased() {
    return kind(LEASED);
  }

  /** Returns the exclusive end of the leased messages of all queues. */
  public static byte[] allLeasedEnd() {
    return kind((byte) (LEASED + 1));
  }

  /** Returns the inclusive start of the depth records, one for each queue that has messages. */
  public static byte[] allDepths() {
    return kind(DEPTH);
  }

  /** Returns the exclusive end of the depth records. */
  public static byte[] allDepthsEnd() {
    return kind((byte) (DEPTH + 1));
  }

  private static byte[] kind(byte kind) {
    return new byte[] {(byte) SystemKeys.PREFIX, QUEUE, kind};
  }

  /** Returns the queue's name. */
  public String queue() {
    return queue;
  }

  byte[] depth() {
    return key(DEPTH, 0);
  }

  /** Returns the key of a message. */
  public byte[] message(MessageId id) {
    return withId(key(MESSAGE, MessageId.BYTES), id);
  }

  byte[] leased(MessageId id) {
    return withId(key(LEASED, MessageId.BYTES), id);
  }

  /** Returns the key of a message that is ready at a time. */
  public byte[] ready(long readyAt, MessageId id) {
    byte[] key = key(READY, Long.BYTES + MessageId.BYTES);
    ByteBuffer.wrap(key).putLong(HEADER + name.length, readyAt);
    return withId(key, id);
  }

  /** Returns the inclusive start of the index of ready messages. */
  public byte[] ready() {
    return key(READY, 0);
  }

  /** Returns the exclusive end of the messages that are ready by a time. */
  public byte[] readyEnd(long through) {
    byte[] key = key(READY, Long.BYTES);
    ByteBuffer.wrap(key).putLong(HEADER + name.length, through + 1);
    return key;
  }

  /** Returns the exclusive end of the index of ready messages. */
  public byte[] readyEnd() {
    return readyEnd(Long.MAX_VALUE - 1);
  }

  /** Returns the inclusive start of the leased messages. */
  public byte[] leased() {
    return key(LEASED, 0);
  }

  /** Returns the exclusive end of the leased messages. */
  public byte[] leasedEnd() {
    byte[] behind = key(LEASED, MessageId.BYTES + 1);
    Arrays.fill(behind, HEADER + name.length, behind.length, (byte) 0xFF);
    return behind;
  }

  private static byte[] withId(byte[] key, MessageId id) {
    int at = key.length - MessageId.BYTES;
    ByteBuffer.wrap(key).putLong(at, id.version()).putInt(at + Long.BYTES, id.index());
    return key;
  }

  private byte[] key(byte kind, int more) {
    byte[] key = new byte[HEADER + name.length + more];
    ByteBuffer.wrap(key)
        .put((byte) SystemKeys.PREFIX)
        .put(QUEUE)
        .put(kind)
        .putShort((short) name.length)
        .put(name);
    return key;
  }
}
