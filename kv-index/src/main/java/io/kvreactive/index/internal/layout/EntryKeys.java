package io.kvreactive.index.internal.layout;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Keys of entries. */
public final class EntryKeys {
  private EntryKeys() {}

  static byte[] pathPrefix(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      byte[] prefix = new byte[9];
      prefix[0] = 'R';
      System.arraycopy(hash, 0, prefix, 1, 8);
      return prefix;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
