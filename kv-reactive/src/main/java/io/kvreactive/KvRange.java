package io.kvreactive;

import io.kvreactive.internal.key.KeyCursor;
import io.kvreactive.internal.key.KeyText;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A range of keys: from a start, inclusive, to an end, exclusive, in key order. A prefix stands for
 * the keys that continue it by whole parts, and never for the prefix key itself. Reading in reverse
 * only changes the order.
 *
 * <p>A range also makes and reads cursors: {@link #cursorAfter} writes the last key of a page as
 * text, {@link #resume} returns the rest of the range. A cursor is valid for the range and the
 * direction for which it was made, neither of which it contains.
 *
 * <p>Bounds and cursors are those of Deno KV ({@code deno/ext/kv/lib.rs}), with three corrections.
 * A bound must continue its prefix by whole parts, not just by bytes. Every cursor is checked
 * against the bounds of its range, not only against explicit bounds. The first key of a range may
 * be a prefix of its end, as in {@code between(["a"], ["a", "b"])}. The cursor after that key is
 * {@code "."}; Deno writes the empty cursor, which starts over.
 */
public final class KvRange {
  private static final byte FIRST = 0;
  private static final byte LAST = (byte) 0xFF;

  private final byte[] start;
  private final byte[] end;

  /** The common beginning of all keys of the range, which cursors omit; may end inside a part. */
  private final byte[] base;

  private KvRange(byte[] start, byte[] end, byte[] base) {
    this.start = start;
    this.end = end;
    this.base = base;
  }

  /** Returns the range of all keys of the store. */
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
   * @throws KvException INVALID_RANGE if {@code start} does not continue {@code prefix}
   */
  public static KvRange prefixFrom(KvKey prefix, KvKey start) {
    requireUnder(prefix, "start", start);
    return new KvRange(start.bytes(), followedBy(prefix.bytes(), LAST), prefix.bytes());
  }

  /**
   * Returns the keys under {@code prefix} up to {@code end}, exclusive.
   *
   * @throws KvException INVALID_RANGE if {@code end} does not continue {@code prefix}
   */
  public static KvRange prefixUntil(KvKey prefix, KvKey end) {
    requireUnder(prefix, "end", end);
    return new KvRange(followedBy(prefix.bytes(), FIRST), end.bytes(), prefix.bytes());
  }

  /**
   * Returns the keys from {@code start}, inclusive, to {@code end}, exclusive; an empty range if
   * they are equal.
   *
   * @throws KvException INVALID_RANGE if {@code start} is after {@code end}
   */
  public static KvRange between(KvKey start, KvKey end) {
    return ofEncoded(start.bytes(), end.bytes());
  }

  /**
   * Returns the keys that continue the prefix with a string that starts with {@code text}, and the
   * continuations of these keys: {@code startingWith(KvKey.of("by_name"), "GREEK ")}.
   */
  public static KvRange startingWith(KvKey prefix, String text) {
    byte[] whole = prefix.append(text).bytes();
    byte[] start = Arrays.copyOf(whole, whole.length - 1); // without the terminator of the string
    return new KvRange(start, followedBy(start, LAST), start);
  }

  /** Returns the range of one key. */
  public static KvRange single(KvKey key) {
    return new KvRange(key.bytes(), followedBy(key.bytes(), FIRST), key.bytes());
  }

  /**
   * Returns the keys whose encoded form lies between these bytes, which need not be encoded keys
   * themselves. For protocols that use encoded keys.
   *
   * @param start the inclusive start; not copied, must not be changed
   * @param end the exclusive end; not copied, must not be changed
   * @throws KvException INVALID_RANGE if {@code start} is after {@code end}
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

  /** Returns the inclusive start; not copied, must not be changed. */
  public byte[] startBytes() {
    return start;
  }

  /** Returns the exclusive end; not copied, must not be changed. */
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
   * Returns the cursor of a list over this range after this key: the key's bytes without those that
   * all keys of the range share, in base64 with the URL-safe alphabet and padding. The same for
   * both directions, and never empty.
   *
   * @throws KvException INVALID_CURSOR if the key cannot be in this range
   */
  public String cursorAfter(KvKey lastYielded) {
    return KeyCursor.encode(base, lastYielded.bytes());
  }

  /**
   * Returns the rest of this range after a cursor. The cursors of the rest are valid for this range
   * too.
   *
   * @param cursor a cursor of {@link #cursorAfter}; empty for none, which returns this range
   * @param reverse true if the list goes from the end to the start
   * @throws KvException INVALID_CURSOR if the cursor cannot be decoded, or points outside this
   *     range
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
   * Returns the rest of this range after one of its keys, as {@link #resume} after the key's
   * cursor.
   *
   * @param reverse true if the list goes from the end to the start
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

  /** Returns the bounds in readable form; {@code +00} and {@code +ff} follow their prefix. */
  @Override
  public String toString() {
    return "KvRange[" + KeyText.bound(start) + " .. " + KeyText.bound(end) + "]";
  }
}
