package io.kvreactive.json;

import io.kvreactive.KvKey;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.json.JsonText;

/**
 * A writer of JSON as UTF-8 into one growing buffer, with keys and values in the notation of {@link
 * KvJson}: the same bytes as its trees, without creating trees. For servers. The caller writes
 * commas and the names of properties. Not thread-safe.
 */
public final class KvJsonWriter {
  private static final int EXPECTED_BYTES = 4 << 10;

  private final JsonText text;

  /** Creates a writer. */
  public KvJsonWriter() {
    this(EXPECTED_BYTES);
  }

  /**
   * Creates a writer of short text.
   *
   * @param expectedBytes the first size of the buffer
   */
  public KvJsonWriter(int expectedBytes) {
    text = new JsonText(expectedBytes);
  }

  /** Writes a key. Never fails: a malformed key is written as its bytes. */
  public KvJsonWriter key(KvKey key) {
    return key(key.bytes());
  }

  /** Writes a key given by its encoded bytes. */
  public KvJsonWriter key(byte[] encoded) {
    text.key(encoded);
    return this;
  }

  /** Writes a value. Never fails. */
  public KvJsonWriter value(KvValue value) {
    text.value(value);
    return this;
  }

  /** Writes a versionstamp, in quotes. */
  public KvJsonWriter versionstamp(Versionstamp stamp) {
    text.versionstamp(stamp);
    return this;
  }

  /** Writes a whole number. */
  public KvJsonWriter number(long number) {
    text.number(number);
    return this;
  }

  /** Writes a string, in quotes and escaped. */
  public KvJsonWriter string(String string) {
    text.string(string);
    return this;
  }

  /**
   * Writes JSON text unchanged.
   *
   * @param ascii JSON text of ASCII characters only
   */
  public KvJsonWriter raw(String ascii) {
    text.ascii(ascii);
    return this;
  }

  /** Returns the number of bytes written so far. */
  public int length() {
    return text.length();
  }

  /** Clears the writer. The buffer is kept unless it has become large. */
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
