package io.kvreactive.documents.internal.layout;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.encoding.ContainerHashes;
import io.kvreactive.documents.internal.encoding.DocIds;
import io.kvreactive.documents.internal.encoding.KeyBuffer;
import io.kvreactive.documents.internal.encoding.Sha256;
import io.kvreactive.documents.internal.encoding.ValueDecoding;
import io.kvreactive.documents.internal.encoding.ValueDecoding.DecodedValue;
import io.kvreactive.documents.internal.encoding.ValueEncoding;
import io.kvreactive.documents.internal.path.IndexPath;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one index, and the key ranges that answer conditions. A key is the kind of the index,
 * the index, a value for each path, and the document id of the item:
 *
 * <ul>
 *   <li>{@code R}, 8 bytes of the hash of the path's text, the value: the range entries of a path
 *   <li>{@code C}, 4 bytes, the values, each inverted if its path is descending: a composite index
 *   <li>{@code T}, 4 bytes, the values: a tuple index
 *   <li>{@code S}, 4 bytes, a term: an index of an extension, such as a spatial one
 *   <li>{@code U}, 4 bytes, partition and values in an exact form, no item: a unique key
 * </ul>
 *
 * <p>All bytes after a value are between 05 and FA. A value followed by 01 or FF therefore bounds
 * all keys with that value from below or above.
 */
public final class EntryKeys {
  /** A bound of a range of values. */
  public record ValueBound(JsonNode value, boolean inclusive) {}

  /**
   * The contents of an index key.
   *
   * @param values the values, one for each path of the index; none in an overflow entry
   * @param docId the document id of the item
   */
  public record DecodedEntry(List<DecodedValue> values, long docId) {}

  static final int BEFORE = 0x01;
  static final int AFTER = 0xFF;

  /** The tag in place of values: an item with too many entries for the index. */
  static final int OVERFLOW = 0x01;

  private static final int PATH_PREFIX = 9;

  private final byte[] prefix;
  private final boolean[] descending;
  private final int budget;

  private EntryKeys(byte[] prefix, boolean[] descending) {
    this.prefix = prefix;
    this.descending = descending;
    this.budget = ValueEncoding.budget(descending.length);
  }

  /** Returns the keys of the range entries of a path. */
  public static EntryKeys of(IndexPath path) {
    return new EntryKeys(pathPrefix(path.text()), new boolean[1]);
  }

  public static EntryKeys of(CompositeIndex index) {
    List<CompositeComponent> components = index.components();
    boolean[] descending = new boolean[components.size()];
    for (int i = 0; i < descending.length; i++) {
      descending[i] = components.get(i).descending();
    }
    return new EntryKeys(prefix('C', index.number()), descending);
  }

  public static EntryKeys of(TupleIndex index) {
    return new EntryKeys(prefix('T', index.number()), new boolean[index.members().size()]);
  }

  public static EntryKeys of(StoredTermIndex index) {
    return ofTerms(index.number());
  }

  /** Returns the keys of an index of terms, by its number. */
  public static EntryKeys ofTerms(int number) {
    return new EntryKeys(prefix('S', number), new boolean[1]);
  }

  static byte[] prefix(char space, int number) {
    // The inverted bit avoids leading zeros in small numbers, which a store's key encodes in two
    // bytes.
    return new KeyBuffer().add(space).add(number ^ Integer.MIN_VALUE, 4).toBytes();
  }

  static byte[] pathPrefix(String text) {
    byte[] hash = Sha256.sha256(text.getBytes(StandardCharsets.UTF_8));
    return new KeyBuffer().add('R').add(hash, PATH_PREFIX - 1).toBytes();
  }

  /** Returns the prefix of all keys of the index. */
  public byte[] prefix() {
    return prefix.clone();
  }

  /** Returns true if the given bytes start with the prefix of the index. */
  boolean startsWith(byte[] start) {
    return Arrays.equals(prefix, start);
  }

  /** Returns the range of all keys, including the overflow entries. */
  public KeyRange everything() {
    return new KeyRange(plus(prefix, 0), plus(prefix, AFTER), true);
  }

  /** Returns the range of all keys with values. */
  public KeyRange all() {
    return new KeyRange(plus(prefix, OVERFLOW + 1), plus(prefix, AFTER), true);
  }

  /**
   * Returns the range of the overflow entries: items with too many entries, which are candidates
   * for every condition.
   */
  public KeyRange overflow() {
    return new KeyRange(plus(prefix, OVERFLOW), plus(prefix, OVERFLOW + 1), false);
  }

  /** Returns the range of the keys whose first values are the given ones. */
  public KeyRange equalTo(List<JsonNode> values) {
    if (values.isEmpty()) {
      return all();
    }
    KeyBuffer out = new KeyBuffer().add(prefix);
    boolean exact = write(out, values);
    byte[] start = out.add(BEFORE).toBytes();
    byte[] end = start.clone();
    end[end.length - 1] = (byte) AFTER;
    return new KeyRange(start, end, exact);
  }

  /**
   * Returns the range of the keys with the given first values whose next value has a tag in a
   * range. Examples are {@code NUMBER} to {@code NUMBER + 1}, or {@code NULL} to {@code AFTER_ALL}
   * for all defined values.
   *
   * @param values the first values
   * @param fromTag the first tag, inclusive
   * @param beforeTag the last tag, exclusive
   */
  public KeyRange tags(List<JsonNode> values, int fromTag, int beforeTag) {
    Start start = start(values);
    boolean inverted = descending[values.size()];
    return new KeyRange(
        plus(start.bytes, inverted ? 0x100 - beforeTag : fromTag),
        plus(start.bytes, inverted ? 0x100 - fromTag : beforeTag),
        start.exact);
  }

  /**
   * Returns the range of the keys with the given first values whose next value lies between two
   * bounds of one scalar type. A missing bound stands for the end of that type.
   *
   * @throws IllegalArgumentException if both bounds are missing, or their types differ
   */
  public KeyRange between(
      List<JsonNode> values, @Nullable ValueBound from, @Nullable ValueBound to) {
    ValueBound any = from == null ? to : from;
    if (any == null || to != null && firstTag(any.value()) != firstTag(to.value())) {
      throw new IllegalArgumentException("Bounds of one type are needed: " + from + ", " + to);
    }
    int fromTag = firstTag(any.value());
    KeyRange type =
        tags(values, fromTag, fromTag == ValueEncoding.FALSE ? fromTag + 2 : fromTag + 1);
    boolean inverted = descending[values.size()];
    ValueBound first = inverted ? to : from;
    ValueBound last = inverted ? from : to;
    Start start = start(values);
    byte[] startKey = type.start();
    byte[] endKey = type.end();
    boolean exact = start.exact;
    if (first != null) {
      Start value = append(start, first.value(), inverted);
      startKey = plus(value.bytes, first.inclusive() || !value.exact ? BEFORE : AFTER);
      exact &= value.exact;
    }
    if (last != null) {
      Start value = append(start, last.value(), inverted);
      endKey = plus(value.bytes, last.inclusive() || !value.exact ? AFTER : BEFORE);
      exact &= value.exact;
    }
    return new KeyRange(startKey, endKey, exact);
  }

  /**
   * Returns the range of the keys with the given first values whose next value is a string with a
   * prefix.
   */
  public KeyRange startsWith(List<JsonNode> values, String text) {
    Start start = start(values);
    KeyBuffer out = new KeyBuffer().add(start.bytes);
    boolean inverted = descending[values.size()];
    boolean whole = ValueEncoding.writeStart(out, text, inverted, budget);
    byte[] key = out.toBytes();
    return new KeyRange(key, after(key), start.exact && whole);
  }

  /**
   * Decodes a key.
   *
   * @throws IllegalArgumentException if the key does not belong to this index
   */
  public DecodedEntry read(byte[] key) {
    if (key.length < prefix.length
        || !Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length)) {
      throw new IllegalArgumentException("The key is of another index");
    }
    int position = prefix.length;
    if (position < key.length && key[position] == OVERFLOW) {
      return new DecodedEntry(List.of(), DocIds.read(key, position + 1));
    }
    List<DecodedValue> values = new ArrayList<>(descending.length);
    for (boolean inverted : descending) {
      DecodedValue value = ValueDecoding.read(key, position, inverted, budget);
      values.add(value);
      position = value.next();
    }
    return new DecodedEntry(values, DocIds.read(key, position));
  }

  /** Returns the key of one entry. */
  byte[] key(JsonNode[] values, long docId, ContainerHashes hashes) {
    KeyBuffer out = new KeyBuffer().add(prefix);
    for (int i = 0; i < values.length; i++) {
      ValueEncoding.write(out, values[i], descending[i], budget, hashes);
    }
    DocIds.write(out, docId);
    return out.toBytes();
  }

  byte[] overflowKey(long docId) {
    KeyBuffer out = new KeyBuffer().add(prefix).add(OVERFLOW);
    DocIds.write(out, docId);
    return out.toBytes();
  }

  private Start start(List<JsonNode> values) {
    KeyBuffer out = new KeyBuffer().add(prefix);
    boolean exact = write(out, values);
    return new Start(out.toBytes(), exact);
  }

  /** Appends the first values of a key, and returns true if their bytes are exact. */
  private boolean write(KeyBuffer out, List<JsonNode> values) {
    ContainerHashes hashes = new ContainerHashes();
    boolean exact = true;
    for (int i = 0; i < values.size(); i++) {
      exact &= ValueEncoding.write(out, values.get(i), descending[i], budget, hashes);
    }
    return exact;
  }

  private Start append(Start start, JsonNode value, boolean inverted) {
    KeyBuffer out = new KeyBuffer().add(start.bytes);
    boolean whole = ValueEncoding.write(out, value, inverted, budget, new ContainerHashes());
    return new Start(out.toBytes(), start.exact && whole);
  }

  /** Returns the tag of a value; for a boolean, the tag of false. */
  private static int firstTag(JsonNode value) {
    int tag = ValueEncoding.encode(value, false, ValueEncoding.KEY_BUDGET)[0];
    return tag == ValueEncoding.TRUE ? ValueEncoding.FALSE : tag;
  }

  private static byte[] plus(byte[] bytes, int last) {
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
    longer[bytes.length] = (byte) last;
    return longer;
  }

  /**
   * Returns the first key after all keys that start with the given bytes, at least one of which is
   * not FF.
   */
  private static byte[] after(byte[] bytes) {
    int length = bytes.length;
    while (bytes[length - 1] == (byte) 0xFF) {
      length--;
    }
    byte[] next = Arrays.copyOf(bytes, length);
    next[length - 1]++;
    return next;
  }

  /** The first bytes of keys, and a flag that is true if the bytes encode the values exactly. */
  private static final class Start {
    final byte[] bytes;
    final boolean exact;

    Start(byte[] bytes, boolean exact) {
      this.bytes = bytes;
      this.exact = exact;
    }
  }
}
