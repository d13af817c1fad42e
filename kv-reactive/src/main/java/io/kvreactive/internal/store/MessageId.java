package io.kvreactive.internal.store;

import java.util.HexFormat;

/**
 * The unique id of a message of a queue. Ids ascend in commit order.
 *
 * @param version the commit that enqueued the message
 * @param index the index of the message in that commit
 */
public record MessageId(long version, int index) implements Comparable<MessageId> {
  /** The encoded length in bytes. */
  static final int BYTES = Long.BYTES + Integer.BYTES;

  @Override
  public int compareTo(MessageId other) {
    int byVersion = Long.compareUnsigned(version, other.version);
    return byVersion != 0 ? byVersion : Integer.compareUnsigned(index, other.index);
  }

  /** Returns the 24 hex digits, which sort in the same order. */
  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(version) + hex.toHexDigits(index);
  }
}
