package io.kvreactive.index.internal.encoding;

/**
 * Numbers of items as bytes: 80h and how many bytes follow, then the number without leading zero
 * bytes. Their order is that of the numbers, and they are short for small ones. What comes before
 * them in a key relies on it that they start with neither 00 nor FF.
 */
public final class DocIds {
  private static final int FIRST = 0x80;

  private DocIds() {}

  /**
   * @param docId 1 or more
   */
  public static void write(KeyBuffer out, long docId) {
    if (docId < 1) {
      throw new IllegalArgumentException("docId: " + docId + " (expected: > 0)");
    }
    int length = (71 - Long.numberOfLeadingZeros(docId)) / 8;
    out.add(FIRST + length).add(docId, length);
  }

  public static byte[] encode(long docId) {
    KeyBuffer out = new KeyBuffer(9);
    write(out, docId);
    return out.toBytes();
  }

  /**
   * The number that the last bytes of a key are, from {@code from} on.
   *
   * @throws IllegalArgumentException if they are none
   */
  public static long read(byte[] key, int from) {
    int length = from < key.length ? (key[from] & 0xFF) - FIRST : 0;
    if (length < 1 || length > 8 || from + 1 + length != key.length) {
      throw new IllegalArgumentException("There is no item number at " + from + " of the key");
    }
    long docId = 0;
    for (int i = from + 1; i < key.length; i++) {
      docId = docId << 8 | key[i] & 0xFF;
    }
    return docId;
  }
}
