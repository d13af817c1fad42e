package io.kvreactive;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonKey;
import com.fasterxml.jackson.annotation.JsonValue;
import io.kvreactive.internal.json.KeyJson;
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
 * A key: an immutable ordered list of typed parts. The Java type of a part decides its kind, never
 * its value, so {@code 1} and {@code 1L} are two different keys:
 *
 * <table>
 * <caption>Kinds of parts, in their order</caption>
 * <tr><th>Kind</th><th>Java types accepted</th><th>Java type returned</th></tr>
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
 * key before the keys that continue it. Strings order by their UTF-8 bytes; unpaired surrogates
 * become U+FFFD. Numbers order as usual, with -0.0 just before 0.0. A NaN with its sign bit set is
 * before all other numbers, one without it after them; no other bits of a NaN are kept.
 *
 * <p>Jackson writes a key as the array of its parts, in the notation of {@code docs/json.md}, and
 * reads such an array or its text.
 *
 * <p>Equality, hash and order are those of the encoded bytes: the subset of FoundationDB's tuple
 * layer that Deno KV uses ({@code denokv/proto/codec.rs}). {@link KvLimits} bounds the length of
 * keys, this class does not.
 */
public final class KvKey implements Comparable<KvKey> {
  /** The key without parts. Useful as a prefix; it cannot be stored. */
  public static final KvKey EMPTY = new KvKey(new byte[0]);

  private final byte[] encoded;
  private int hash; // 0 until computed

  private KvKey(byte[] encoded) {
    this.encoded = encoded;
  }

  /**
   * Returns the key of these parts.
   *
   * @throws KvException INVALID_KEY for a part of a type that is not in the table, null included
   */
  public static KvKey of(Object... parts) {
    return parts.length == 0 ? EMPTY : write(new TupleWriter(), Arrays.asList(parts), 0);
  }

  /**
   * Returns the key of these parts.
   *
   * @throws KvException INVALID_KEY for a part of a type that is not in the table, null included
   */
  public static KvKey of(List<?> parts) {
    return parts.isEmpty() ? EMPTY : write(new TupleWriter(), parts, 0);
  }

  /**
   * Returns a key from its encoded form, which is checked and copied. Integers with leading zero
   * bytes are accepted and not changed: such a key differs from the one that {@link #of} returns
   * for the same parts.
   *
   * @throws KvException INVALID_KEY with the offset of the first malformed part
   */
  public static KvKey decode(byte[] encoded) {
    KvKey key = new KvKey(encoded.clone());
    var unused = key.parts();
    return key;
  }

  /**
   * Returns a key from its encoded form without a check, for bytes that come from a store.
   * Malformed bytes compare and print like any others. Reading a part of them throws INVALID_KEY.
   *
   * @param encoded the encoded form; not copied, must not be changed
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
   * Returns the parts, decoded at each call: an unmodifiable list whose byte arrays belong to the
   * caller.
   *
   * @throws KvException INVALID_KEY if malformed; only after {@link #fromEncoded}
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
   * @throws KvException INVALID_KEY if malformed; only after {@link #fromEncoded}
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
   * Returns one part without decoding the others.
   *
   * @param index the index of the part, from 0
   * @throws KvException INVALID_ARGUMENT if the part does not exist; INVALID_KEY if malformed
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
   * @throws KvException INVALID_KEY if the part is of another kind; else as {@link #part}
   */
  public String stringAt(int index) {
    return part(index, String.class, "a string");
  }

  /**
   * Returns a copy of the bytes at that position.
   *
   * @throws KvException INVALID_KEY if the part is of another kind; else as {@link #part}
   */
  public byte[] bytesAt(int index) {
    return part(index, byte[].class, "bytes");
  }

  /**
   * Returns the bigint at that position.
   *
   * @throws KvException INVALID_KEY if the part is of another kind; else as {@link #part}
   */
  public BigInteger bigintAt(int index) {
    return part(index, BigInteger.class, "a bigint");
  }

  /**
   * Returns the number at that position.
   *
   * @throws KvException INVALID_KEY if the part is of another kind; else as {@link #part}
   */
  public double numberAt(int index) {
    return part(index, Double.class, "a number");
  }

  /**
   * Returns the boolean at that position.
   *
   * @throws KvException INVALID_KEY if the part is of another kind; else as {@link #part}
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
   * @throws KvException INVALID_KEY if this is the empty key, or malformed
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
   * Returns the key of the first parts of this key. The parts after them are not checked.
   *
   * @param size the number of parts
   * @throws KvException INVALID_ARGUMENT if the key has fewer parts; INVALID_KEY if the end of one
   *     of them cannot be found, only after {@link #fromEncoded}
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
   * Returns true if the encoded form is the one that {@link #of} writes for the same parts. False
   * for a malformed key, for an integer with leading zero bytes, and for a NaN with other bits than
   * those that are kept. Only {@link #fromEncoded} and {@link #decode} accept such bytes.
   */
  public boolean isCanonical() {
    return TupleReader.isCanonical(encoded);
  }

  /** Returns true if {@code prefix} is equal to this key or to its first parts. */
  public boolean startsWith(KvKey prefix) {
    byte[] p = prefix.encoded;
    return encoded.length >= p.length
        && Arrays.equals(encoded, 0, p.length, p, 0, p.length)
        // otherwise the last string or bytes part of the prefix ends before an escaped zero byte
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

  @JsonValue
  private Object json() {
    return KeyJson.toPlain(this);
  }

  @JsonKey
  @SuppressWarnings("UnusedMethod") // called by Jackson
  private String jsonText() {
    return KeyJson.toJson(this).toString();
  }

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  private static KvKey ofJson(List<Object> parts) {
    return KeyJson.ofPlain(parts);
  }

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  private static KvKey ofJsonText(String text) {
    return KeyJson.parse(text);
  }

  /**
   * Returns the parts in readable form, such as {@code ["users", 12n, 1.5, true, 0x0104]}, where
   * {@code n} marks a bigint. Truncated with an ellipsis at about 250 characters; never throws.
   */
  @Override
  public String toString() {
    return KeyText.key(encoded);
  }
}
