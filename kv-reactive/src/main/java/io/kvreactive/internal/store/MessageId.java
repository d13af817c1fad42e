package io.kvreactive.internal.store;

import java.util.HexFormat;

/**
 * What tells a message of a queue from all others, for ever: ids ascend in commit order.
 *
 * @param version the commit that enqueued it
 * @param index its place among the messages of that commit
 */
public record MessageId(long version, int index) implements Comparable<MessageId> {
  /** Bytes in a key. */
  static final int BYTES = Long.BYTES + Integer.BYTES;

  @Override
  public int compareTo(MessageId other) {
    int byVersion = Long.compareUnsigned(version, other.version);
    return byVersion != 0 ? byVersion : Integer.compareUnsigned(index, other.index);
  }

  /** 24 hex digits, in the same order. */
  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(version) + hex.toHexDigits(index);
  }
}
