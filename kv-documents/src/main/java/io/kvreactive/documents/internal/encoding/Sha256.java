package io.kvreactive.documents.internal.encoding;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256. */
public final class Sha256 {
  private Sha256() {}

  public static byte[] sha256(byte[] bytes) {
    return newDigest().digest(bytes);
  }

  static MessageDigest newDigest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }
}
