package io.kvreactive.documents.internal.encoding;

/**
 * Encodes document ids as bytes: 80h plus the number of following bytes, then the number without
 * leading zero bytes. The encoding is short for small ids and preserves their order. The preceding
 * bytes of a key rely on a first byte other than 00 and FF.
 */
public final class DocIds {
  private static final int FIRST = 0x80;

  private DocIds() {}

  /**
   * Appends a document id.
   *
   * @param docId the document id, at least 1
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
   * Returns the document id in the last bytes of a key, from {@code from} on.
   *
   * @throws IllegalArgumentException if the bytes are not a document id
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
