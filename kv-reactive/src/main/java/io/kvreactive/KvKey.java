package io.kvreactive;

import io.kvreactive.internal.key.KeyText;
import io.kvreactive.internal.key.TupleReader;
import io.kvreactive.internal.key.TupleWriter;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A key: an ordered list of typed parts, immutable. The Java type of a part decides its kind, never
 * its value, so {@code 1} and {@code 1L} are two different keys:
 *
 * <table>
 * <caption>Kinds of parts, in their order</caption>
 * <tr><th>Kind</th><th>Java types taken</th><th>Java type given back</th></tr>
 * <tr><td>bytes</td><td>{@code byte[]}, {@code ByteBuffer} (its remaining bytes)</td>
 *     <td>{@code byte[]}</td></tr>
 * <tr><td>string</td><td>{@code String}</td><td>{@code String}</td></tr>
 * <tr><td>bigint</td><td>{@code long}, {@code BigInteger} of at most 255 bytes</td>
 *     <td>{@code BigInteger}</td></tr>
 * <tr><td>number</td><td>{@code int}, {@code short}, {@code byte}, {@code double}, {@code float}
 *     </td><td>{@code Double}</td></tr>
 * <tr><td>boolean</td><td>{@code boolean}</td><td>{@code Boolean}</td></tr>
 * </table>
 *
 * <p>Keys order part by part: bytes &lt; string &lt; bigint &lt; number &lt; false &lt; true, and a
 * key before the keys that continue it. Strings order by their UTF-8 bytes; surrogates without
 * partner become U+FFFD. Numbers order as usual, with -0.0 just before 0.0, a NaN with its sign bit
 * set before everything and one without after everything; no other bits of a NaN are kept.
 *
 * <p>Equality, hash and order are those of the encoded bytes: the subset of FoundationDB's tuple
 * layer that Deno KV uses ({@code denokv/proto/codec.rs}). How long a key may be is a matter of
 * {@link KvLimits}, not of this class.
 */
public final class KvKey implements Comparable<KvKey> {
  /** The key of no parts. Useful as a prefix; it cannot be stored. */
  public static final KvKey EMPTY = new KvKey(new byte[0]);

  private final byte[] encoded;
  private int hash; // 0 until asked for

  private KvKey(byte[] encoded) {
    this.encoded = encoded;
  }

  /**
   * Returns a key of these parts.
   *
   * @throws KvException INVALID_KEY for a part of any other type than those above, null included
   */
  public static KvKey of(Object... parts) {
    return parts.length == 0 ? EMPTY : write(new TupleWriter(), Arrays.asList(parts), 0);
  }

  /**
   * Returns a key of these parts.
   *
   * @throws KvException INVALID_KEY for a part of any other type than those above, null included
   */
  public static KvKey of(List<?> parts) {
    return parts.isEmpty() ? EMPTY : write(new TupleWriter(), parts, 0);
  }

  /**
   * Returns a key from its encoded form, which is checked and copied. Integers with leading zero
   * bytes are read, and stay as they are: such a key differs from the one {@link #of} makes of the
   * same parts.
   *
   * @throws KvException INVALID_KEY with the offset of the first malformed part
   */
  public static KvKey decode(byte[] encoded) {
    KvKey key = new KvKey(encoded.clone());
    var unused = key.parts();
    return key;
  }

  /**
   * Returns a key from its encoded form without a look at it, for bytes that come out of a store.
   * Malformed bytes compare and print like any others, and surface as INVALID_KEY when a part is
   * read.
   *
   * @param encoded not copied, must not be changed
   */
  public static KvKey fromEncoded(byte[] encoded) {
    return new KvKey(encoded);
  }

  private static KvKey write(TupleWriter out, List<?> parts, int firstIndex) {
    int index = firstIndex;
    for (Object part : parts) {
      out.part(part, index++);
    }
    return new KvKey(out.toBytes());
  }

  /**
   * Returns the parts, decoded anew at each call: an unmodifiable list whose byte arrays are the
   * caller's own.
   *
   * @throws KvException INVALID_KEY when malformed; only after {@link #fromEncoded}
   */
  public List<Object> parts() {
    List<Object> parts = new ArrayList<>();
    for (TupleReader in = new TupleReader(encoded); in.hasNext(); ) {
      parts.add(in.next());
    }
    return Collections.unmodifiableList(parts);
  }

  /**
   * Returns the number of parts.
   *
   * @throws KvException INVALID_KEY when malformed; only after {@link #fromEncoded}
   */
  public int size() {
    int size = 0;
    for (TupleReader in = new TupleReader(encoded); in.hasNext(); in.skip()) {
      size++;
    }
    return size;
  }

  public boolean isEmpty() {
    return encoded.length == 0;
  }

  /**
   * Returns the part at that position, decoded alone.
   *
   * @param index from 0
   * @throws KvException INVALID_ARGUMENT if the part does not exist; INVALID_KEY when malformed
   */
  public Object part(int index) {
    TupleReader in = new TupleReader(encoded);
    for (int i = 0; i < index && in.hasNext(); i++) {
      in.skip();
    }
    if (index < 0 || !in.hasNext()) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "part " + index + " of key " + this + " (expected: 0.." + (size() - 1) + ")");
    }
    return in.next();
  }

  /**
   * Returns the string at that position.
   *
   * @throws KvException INVALID_KEY when the part is of another kind; else as {@link #part}
   */
  public String stringAt(int index) {
    return part(index, String.class, "a string");
  }

  /**
   * Returns a copy of the bytes at that position.
   *
   * @throws KvException INVALID_KEY when the part is of another kind; else as {@link #part}
   */
  public byte[] bytesAt(int index) {
    return part(index, byte[].class, "bytes");
  }

  /**
   * Returns the bigint at that position.
   *
   * @throws KvException INVALID_KEY when the part is of another kind; else as {@link #part}
   */
  public BigInteger bigintAt(int index) {
    return part(index, BigInteger.class, "a bigint");
  }

  /**
   * Returns the number at that position.
   *
   * @throws KvException INVALID_KEY when the part is of another kind; else as {@link #part}
   */
  public double numberAt(int index) {
    return part(index, Double.class, "a number");
  }

  /**
   * Returns the boolean at that position.
   *
   * @throws KvException INVALID_KEY when the part is of another kind; else as {@link #part}
   */
  public boolean booleanAt(int index) {
    return part(index, Boolean.class, "a boolean");
  }

  private <T> T part(int index, Class<T> type, String expected) {
    Object part = part(index);
    if (!type.isInstance(part)) {
      throw new KvException(
          KvErrorCode.INVALID_KEY,
          "part " + index + " of key " + this + " (expected: " + expected + ")");
    }
    return type.cast(part);
  }

  /**
   * Returns this key with more parts at its end.
   *
   * @throws KvException INVALID_KEY as {@link #of}
   */
  public KvKey append(Object... parts) {
    return parts.length == 0 ? this : write(new TupleWriter(encoded), Arrays.asList(parts), size());
  }

  /**
   * Returns this key without its last part.
   *
   * @throws KvException INVALID_KEY when this is the empty key, or malformed
   */
  public KvKey parent() {
    TupleReader in = new TupleReader(encoded);
    int last;
    do {
      last = in.position();
      in.skip();
    } while (in.hasNext());
    return last == 0 ? EMPTY : new KvKey(Arrays.copyOf(encoded, last));
  }

  /**
   * Returns the key of the first parts of this one. Parts behind them are not looked at.
   *
   * @param size the number of parts
   * @throws KvException INVALID_ARGUMENT if the key has fewer parts; INVALID_KEY when the end of
   *     one of them cannot be found, only after {@link #fromEncoded}
   */
  public KvKey prefix(int size) {
    TupleReader in = new TupleReader(encoded);
    int parts = 0;
    for (; parts < size && in.hasNext(); parts++) {
      in.skip();
    }
    if (parts != size) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "prefix of " + size + " parts of key " + this + " (expected: 0.." + parts + ")");
    }
    return in.hasNext() ? new KvKey(Arrays.copyOf(encoded, in.position())) : this;
  }

  /**
   * Returns true if the encoded form is the one that {@link #of} makes of the same parts. False for
   * a malformed key, for an integer with leading zero bytes, and for a NaN with other bits than
   * those that are kept; such bytes come from {@link #fromEncoded} or {@link #decode} only.
   */
  public boolean isCanonical() {
    return TupleReader.isCanonical(encoded);
  }

  /**
   * Returns true if the first parts of this key are all the parts of {@code prefix}; true for
   * itself.
   */
  public boolean startsWith(KvKey prefix) {
    byte[] p = prefix.encoded;
    return encoded.length >= p.length
        && Arrays.equals(encoded, 0, p.length, p, 0, p.length)
        // else the prefix's last string or bytes part is cut off before an escaped zero byte
        && (p.length == 0 || encoded.length == p.length || encoded[p.length] != (byte) 0xFF);
  }

  /** Returns the encoded form; not copied, must not be changed. */
  public byte[] bytes() {
    return encoded;
  }

  /** Returns a copy of the encoded form. */
  public byte[] encoded() {
    return encoded.clone();
  }

  @Override
  public int compareTo(KvKey other) {
    return Arrays.compareUnsigned(encoded, other.encoded);
  }

  @Override
  public boolean equals(@Nullable Object o) {
    return o instanceof KvKey k && Arrays.equals(encoded, k.encoded);
  }

  @Override
  public int hashCode() {
    int h = hash;
    if (h == 0) {
      h = Arrays.hashCode(encoded);
      hash = h;
    }
    return h;
  }

  /**
   * Returns the parts for people, such as {@code ["users", 12n, 1.5, true, 0x0104]}, where the
   * {@code n} marks a bigint. Cut with an ellipsis at about 250 characters; never throws.
   */
  @Override
  public String toString() {
    return KeyText.key(encoded);
  }
}
