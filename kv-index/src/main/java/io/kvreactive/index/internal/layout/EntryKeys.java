package io.kvreactive.index.internal.layout;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.index.internal.encoding.ContainerHashes;
import io.kvreactive.index.internal.encoding.DecodedValue;
import io.kvreactive.index.internal.encoding.DocIds;
import io.kvreactive.index.internal.encoding.KeyBuffer;
import io.kvreactive.index.internal.encoding.Sha256;
import io.kvreactive.index.internal.encoding.ValueDecoding;
import io.kvreactive.index.internal.encoding.ValueEncoding;
import io.kvreactive.index.internal.path.IndexPath;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one index, and the ranges of them that answer questions. A key is the kind of index,
 * the index, a value for each of its paths, and the number of the item:
 *
 * <ul>
 *   <li>{@code R}, 8 bytes of the hash of the path's text, the value: the range entries of a path
 *   <li>{@code C}, 4 bytes, the values, each inverted if its path is descending: a composite index
 *   <li>{@code T}, 4 bytes, the values: a tuple index
 *   <li>{@code S}, 4 bytes, a term: an index of an extension, such as a spatial one
 *   <li>{@code U}, 4 bytes, partition and values in an exact form, no item: a unique key
 * </ul>
 *
 * <p>All bytes after a value are between 05 and FA, so 01 and FF after it stand for before and
 * after all that has it.
 */
public final class EntryKeys {
  static final int BEFORE = 0x01;
  static final int AFTER = 0xFF;

  /** In place of values: items of which an index would have too many entries. */
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

  /** Of the range entries of a path. */
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

  public static EntryKeys of(TermsIndex index) {
    return ofTerms(index.number());
  }

  /** Of an index of terms by its number. */
  public static EntryKeys ofTerms(int number) {
    return new EntryKeys(prefix('S', number), new boolean[1]);
  }

  static byte[] prefix(char space, int number) {
    // The bit makes small numbers free of leading zeros, which a store's key writes twice as long.
    return new KeyBuffer().add(space).add(number ^ Integer.MIN_VALUE, 4).toBytes();
  }

  static byte[] pathPrefix(String text) {
    byte[] hash = Sha256.sha256(text.getBytes(StandardCharsets.UTF_8));
    return new KeyBuffer().add('R').add(hash, PATH_PREFIX - 1).toBytes();
  }

  /** What all keys of the index start with. */
  public byte[] prefix() {
    return prefix.clone();
  }

  /** Whether all keys of the index start so. */
  boolean startsWith(byte[] start) {
    return Arrays.equals(prefix, start);
  }

  /** How many values a key has. */
  public int size() {
    return descending.length;
  }

  /** All keys, also of items that have too many entries. */
  public KeyRange everything() {
    return new KeyRange(plus(prefix, 0), plus(prefix, AFTER), true);
  }

  /** All keys with values. */
  public KeyRange all() {
    return new KeyRange(plus(prefix, OVERFLOW + 1), plus(prefix, AFTER), true);
  }

  /** The items that have too many entries: candidates of every question to this index. */
  public KeyRange overflow() {
    return new KeyRange(plus(prefix, OVERFLOW), plus(prefix, OVERFLOW + 1), false);
  }

  /** The keys whose first values are these. */
  public KeyRange equalTo(List<JsonNode> values) {
    if (values.isEmpty()) {
      return all();
    }
    Start start = start(values);
    return new KeyRange(plus(start.bytes, BEFORE), plus(start.bytes, AFTER), start.exact);
  }

  /**
   * The keys whose first values are these, and whose next one has a tag from one to before another,
   * such as {@code NUMBER} to {@code NUMBER + 1}, or {@code NULL} to {@code AFTER_ALL} for all that
   * is defined.
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
   * The keys whose first values are these, and whose next one lies between two bounds of one scalar
   * type. A bound that is missing is the end of that type.
   *
   * @throws IllegalArgumentException if there is no bound, or they have two types
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

  /** The keys whose first values are these, and whose next one is a string with this start. */
  public KeyRange startsWith(List<JsonNode> values, String text) {
    Start start = start(values);
    KeyBuffer out = new KeyBuffer().add(start.bytes);
    boolean inverted = descending[values.size()];
    boolean whole = ValueEncoding.writeStart(out, text, inverted, budget);
    byte[] key = out.toBytes();
    return new KeyRange(key, after(key), start.exact && whole);
  }

  /**
   * Reads a key.
   *
   * @throws IllegalArgumentException if it is none of this index
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

  /** The key of one entry. */
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
    Start start = new Start(prefix, true);
    for (int i = 0; i < values.size(); i++) {
      start = append(start, values.get(i), descending[i]);
    }
    return start;
  }

  private Start append(Start start, JsonNode value, boolean inverted) {
    KeyBuffer out = new KeyBuffer().add(start.bytes);
    boolean whole = ValueEncoding.write(out, value, inverted, budget, new ContainerHashes());
    return new Start(out.toBytes(), start.exact && whole);
  }

  /** The tag of a value, or of false for both of its type. */
  private static int firstTag(JsonNode value) {
    int tag = ValueEncoding.encode(value, false, ValueEncoding.KEY_BUDGET)[0];
    return tag == ValueEncoding.TRUE ? ValueEncoding.FALSE : tag;
  }

  private static byte[] plus(byte[] bytes, int last) {
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
    longer[bytes.length] = (byte) last;
    return longer;
  }

  /** The first key after all that start with these bytes, of which one is not FF. */
  private static byte[] after(byte[] bytes) {
    int length = bytes.length;
    while (bytes[length - 1] == (byte) 0xFF) {
      length--;
    }
    byte[] next = Arrays.copyOf(bytes, length);
    next[length - 1]++;
    return next;
  }

  /** First bytes of keys, and whether they tell all of their values. */
  private static final class Start {
    final byte[] bytes;
    final boolean exact;

    Start(byte[] bytes, boolean exact) {
      this.bytes = bytes;
      this.exact = exact;
    }
  }
}
