package io.kvreactive;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.HexFormat;

/**
 * The position of a commit in the total order of commits of one store: strictly increasing, also
 * across restarts, not contiguous. Ten bytes: an 8-byte big-endian commit counter and a 2-byte
 * order, which is 0 in stores of this project; written as 20 lower-case hex digits, whose string
 * order is the commit order. (Layout: Deno KV's SQLite backend, {@code denokv/sqlite/backend.rs}.)
 *
 * @param version the commit counter, at least 0; 0 is never assigned to a commit
 * @param order the last two bytes, 0..65535; 0 for commits of stores of this project
 */
public record Versionstamp(long version, int order) implements Comparable<Versionstamp> {
  /** The encoded length in bytes. */
  public static final int BYTES = 10;

  /** The versionstamp before every commit. A check for it always fails, also for an absent key. */
  public static final Versionstamp ZERO = new Versionstamp(0, 0);

  public Versionstamp {
    if (order < 0 || order > 0xFFFF) {
      throw new KvException(
          KvErrorCode.INVALID_VERSIONSTAMP, "order: " + order + " (expected: 0..65535)");
    }
  }

  /** Returns the stamp of the embedded store's commit {@code version}. */
  public static Versionstamp of(long version) {
    return new Versionstamp(version, 0);
  }

  /**
   * Parses 20 hex digits of either case.
   *
   * @throws KvException INVALID_VERSIONSTAMP
   */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static Versionstamp parse(String hex) {
    if (hex.length() != 2 * BYTES) {
      throw invalid(hex);
    }
    try {
      return new Versionstamp(
          HexFormat.fromHexDigitsToLong(hex, 0, 16), HexFormat.fromHexDigits(hex, 16, 20));
    } catch (IllegalArgumentException e) {
      throw invalid(hex);
    }
  }

  /**
   * Reads the ten-byte form.
   *
   * @throws KvException INVALID_VERSIONSTAMP if there are not exactly ten bytes
   */
  public static Versionstamp of(byte[] bytes) {
    if (bytes.length != BYTES) {
      throw new KvException(
          KvErrorCode.INVALID_VERSIONSTAMP,
          "versionstamp of " + bytes.length + " bytes (expected: " + BYTES + ")");
    }
    long version = 0;
    for (int i = 0; i < 8; i++) {
      version = version << 8 | bytes[i] & 0xFF;
    }
    return new Versionstamp(version, (bytes[8] & 0xFF) << 8 | bytes[9] & 0xFF);
  }

  private static KvException invalid(String hex) {
    return new KvException(
        KvErrorCode.INVALID_VERSIONSTAMP,
        "versionstamp: \""
            + (hex.length() > 40 ? hex.substring(0, 40) + "…" : hex)
            + "\" (expected: 20 hex digits)");
  }

  /** Returns the ten-byte form, big-endian. */
  public byte[] toBytes() {
    byte[] bytes = new byte[BYTES];
    for (int i = 0; i < 8; i++) {
      bytes[i] = (byte) (version >>> 8 * (7 - i));
    }
    bytes[8] = (byte) (order >>> 8);
    bytes[9] = (byte) order;
    return bytes;
  }

  @Override
  public int compareTo(Versionstamp other) {
    int byVersion = Long.compareUnsigned(version, other.version);
    return byVersion != 0 ? byVersion : Integer.compare(order, other.order);
  }

  /** Returns the 20 lower-case hex digits, which are also the JSON of a versionstamp. */
  @JsonValue
  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(version) + hex.toHexDigits(order, 4);
  }
}
