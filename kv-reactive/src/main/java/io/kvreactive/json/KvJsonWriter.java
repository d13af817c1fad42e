package io.kvreactive.json;

import io.kvreactive.KvKey;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.json.JsonText;

/**
 * Writes JSON as UTF-8 into one growing buffer, keys and values in the notation of {@link KvJson}:
 * the same bytes as its trees would give, without the trees. For servers that write many. What goes
 * between keys and values, commas and names of properties, is the caller's. Not for several threads
 * at a time.
 */
public final class KvJsonWriter {
  private final JsonText text = new JsonText();

  /** Returns a key. Never fails: one that is malformed is written as its bytes. */
  public KvJsonWriter key(KvKey key) {
    return key(key.bytes());
  }

  /** Returns a key by its encoded bytes. */
  public KvJsonWriter key(byte[] encoded) {
    text.key(encoded);
    return this;
  }

  /** Returns a value. Never fails. */
  public KvJsonWriter value(KvValue value) {
    text.value(value);
    return this;
  }

  /** Returns a versionstamp, in quotes. */
  public KvJsonWriter versionstamp(Versionstamp stamp) {
    text.versionstamp(stamp);
    return this;
  }

  /** Returns a whole number. */
  public KvJsonWriter number(long number) {
    text.number(number);
    return this;
  }

  /** Returns a string, in quotes and escaped. */
  public KvJsonWriter string(String string) {
    text.string(string);
    return this;
  }

  /**
   * JSON as it is.
   *
   * @param ascii of ASCII characters only
   */
  public KvJsonWriter raw(String ascii) {
    text.ascii(ascii);
    return this;
  }

  /** Bytes written so far. */
  public int length() {
    return text.length();
  }

  /** Starts over; the buffer is kept unless it has become large. */
  public void reset() {
    text.reset();
  }

  /** Returns the bytes written so far. */
  public byte[] toBytes() {
    return text.toBytes();
  }

  /** Returns the text written so far. */
  @Override
  public String toString() {
    return text.toString();
  }
}
