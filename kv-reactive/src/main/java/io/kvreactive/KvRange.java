package io.kvreactive;

import io.kvreactive.internal.key.KeyCursor;
import io.kvreactive.internal.key.KeyText;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What a list goes over: every key from a start, inclusive, to an end, exclusive, in key order. A
 * prefix stands for the keys that continue it by whole parts, and never for the prefix key itself.
 * Reading in reverse changes the order and nothing else.
 *
 * <p>A range also says how far a list has come: {@link #cursorAfter} writes the last key down as
 * text, {@link #resume} gives what remains. A cursor is good for the range and the direction it was
 * made with; nothing in it tells which.
 *
 * <p>Bounds and cursors are those of Deno KV ({@code deno/ext/kv/lib.rs}), with three repairs. A
 * bound must continue its prefix by whole parts, not just by bytes. Every cursor is held against
 * the bounds of its range, not only against those that were given. And a range whose first key is
 * the beginning of its end, {@code between(["a"], ["a", "b"])}, has a cursor after that first key,
 * {@code "."}, where Deno writes the empty cursor that starts over.
 */
public final class KvRange {
  private static final byte FIRST = 0;
  private static final byte LAST = (byte) 0xFF;

  private final byte[] start;
  private final byte[] end;

  /** What all keys of the range begin with and cursors leave out; may end inside a part. */
  private final byte[] base;

  private KvRange(byte[] start, byte[] end, byte[] base) {
    this.start = start;
    this.end = end;
    this.base = base;
  }

  /** Every key of the store. */
  public static KvRange all() {
    return prefix(KvKey.EMPTY);
  }

  /** Returns the keys that continue {@code prefix} by at least one part. */
  public static KvRange prefix(KvKey prefix) {
    byte[] p = prefix.bytes();
    return new KvRange(followedBy(p, FIRST), followedBy(p, LAST), p);
  }

  /**
   * Returns the keys that continue these parts by at least one part.
   *
   * @throws KvException INVALID_KEY as {@link KvKey#of}
   */
  public static KvRange prefix(Object... parts) {
    return prefix(KvKey.of(parts));
  }

  /**
   * Returns the keys under {@code prefix} from {@code start} on, inclusive.
   *
   * @throws KvException INVALID_RANGE when {@code start} does not continue {@code prefix}
   */
  public static KvRange prefixFrom(KvKey prefix, KvKey start) {
    requireUnder(prefix, "start", start);
    return new KvRange(start.bytes(), followedBy(prefix.bytes(), LAST), prefix.bytes());
  }

  /**
   * Returns the keys under {@code prefix} up to {@code end}, exclusive.
   *
   * @throws KvException INVALID_RANGE when {@code end} does not continue {@code prefix}
   */
  public static KvRange prefixUntil(KvKey prefix, KvKey end) {
    requireUnder(prefix, "end", end);
    return new KvRange(followedBy(prefix.bytes(), FIRST), end.bytes(), prefix.bytes());
  }

  /**
   * Returns the keys from {@code start}, inclusive, to {@code end}, exclusive; none when they are
   * equal.
   *
   * @throws KvException INVALID_RANGE when {@code start} is after {@code end}
   */
  public static KvRange between(KvKey start, KvKey end) {
    return ofEncoded(start.bytes(), end.bytes());
  }

  /**
   * Returns the keys that continue the prefix with a string that starts with {@code text}, and
   * those that continue them: {@code startingWith(KvKey.of("by_name"), "GREEK ")}.
   */
  public static KvRange startingWith(KvKey prefix, String text) {
    byte[] whole = prefix.append(text).bytes();
    byte[] start = Arrays.copyOf(whole, whole.length - 1); // without the end of the string
    return new KvRange(start, followedBy(start, LAST), start);
  }

  /** That one key. */
  public static KvRange single(KvKey key) {
    return new KvRange(key.bytes(), followedBy(key.bytes(), FIRST), key.bytes());
  }

  /**
   * Returns the keys whose encoded form lies between these bytes, which need not be encoded keys
   * themselves. For protocols that speak in bytes.
   *
   * @param start inclusive; not copied, must not be changed
   * @param end exclusive; not copied, must not be changed
   * @throws KvException INVALID_RANGE when {@code start} is after {@code end}
   */
  public static KvRange ofEncoded(byte[] start, byte[] end) {
    if (Arrays.compareUnsigned(start, end) > 0) {
      throw new KvException(
          KvErrorCode.INVALID_RANGE,
          "start "
              + KeyText.bound(start)
              + " of a range to "
              + KeyText.bound(end)
              + " (expected: not after the end)");
    }
    int common = Arrays.mismatch(start, end);
    return new KvRange(start, end, common < 0 ? start : Arrays.copyOf(start, common));
  }

  private static byte[] followedBy(byte[] bytes, byte last) {
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
    longer[bytes.length] = last;
    return longer;
  }

  private static void requireUnder(KvKey prefix, String name, KvKey bound) {
    if (!bound.startsWith(prefix) || bound.equals(prefix)) {
      throw new KvException(
          KvErrorCode.INVALID_RANGE,
          name + " " + bound + " (expected: a key that continues the prefix " + prefix + ")");
    }
  }

  /** Returns the first bytes in the range; not copied, must not be changed. */
  public byte[] startBytes() {
    return start;
  }

  /** Returns the first bytes after the range; not copied, must not be changed. */
  public byte[] endBytes() {
    return end;
  }

  /** Returns true if no key can be in the range. */
  public boolean isEmpty() {
    return Arrays.compareUnsigned(start, end) >= 0;
  }

  public boolean contains(KvKey key) {
    byte[] k = key.bytes();
    return Arrays.compareUnsigned(start, k) <= 0 && Arrays.compareUnsigned(k, end) < 0;
  }

  /**
   * Writes down that a list over this range has come as far as this key: the key's bytes without
   * those that all keys of the range share, in base64 with the URL-safe alphabet and padding. The
   * same for both directions, and never empty.
   *
   * @throws KvException INVALID_CURSOR when the key cannot be in this range
   */
  public String cursorAfter(KvKey lastYielded) {
    return KeyCursor.encode(base, lastYielded.bytes());
  }

  /**
   * What remains after a cursor of this range. Its own cursors are good for this range too.
   *
   * @param cursor from {@link #cursorAfter}; empty for none, which gives this range
   * @param reverse true if the list goes, and went, from the end to the start
   * @throws KvException INVALID_CURSOR when it cannot be decoded, or points outside this range
   */
  public KvRange resume(String cursor, boolean reverse) {
    if (cursor.isEmpty()) {
      return this;
    }
    KvRange rest = after(KeyCursor.decode(base, cursor), reverse);
    if (Arrays.compareUnsigned(rest.start, start) < 0
        || Arrays.compareUnsigned(rest.end, end) > 0) {
      throw new KvException(
          KvErrorCode.INVALID_CURSOR,
          "cursor \"" + KeyCursor.cut(cursor) + "\" (expected: a cursor within " + this + ")");
    }
    return rest;
  }

  /**
   * What remains after a key of this range, without the detour over a cursor.
   *
   * @param reverse true if the list goes, and went, from the end to the start
   */
  public KvRange after(KvKey lastYielded, boolean reverse) {
    return after(lastYielded.bytes(), reverse);
  }

  private KvRange after(byte[] key, boolean reverse) {
    return reverse ? new KvRange(start, key, base) : new KvRange(followedBy(key, FIRST), end, base);
  }

  @Override
  public boolean equals(@Nullable Object o) {
    return o instanceof KvRange r
        && Arrays.equals(start, r.start)
        && Arrays.equals(end, r.end)
        && Arrays.equals(base, r.base);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(start) + Arrays.hashCode(end);
  }

  /**
   * Returns the bounds for people; {@code +00} and {@code +ff} follow the prefix they stand behind.
   */
  @Override
  public String toString() {
    return "KvRange[" + KeyText.bound(start) + " .. " + KeyText.bound(end) + "]";
  }
}
