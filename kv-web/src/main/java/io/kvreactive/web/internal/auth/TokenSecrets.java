package io.kvreactive.web.internal.auth;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;

/**
 * Generates and hashes the secrets of tokens. A secret is 32 random bytes, so one round of SHA-256
 * protects it as well as bcrypt would: a slow hash makes guessing expensive, but 256 random bits
 * cannot be guessed at any speed. A fast hash is required, because every request computes it.
 */
final class TokenSecrets {
  private static final String MARK = "kv_";
  private static final int BYTES = 32;
  private static final int HASH_BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  private TokenSecrets() {}

  static String make() {
    byte[] random = new byte[BYTES];
    RANDOM.nextBytes(random);
    return MARK + Base64.getUrlEncoder().withoutPadding().encodeToString(random);
  }

  static byte[] hash(String secret) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  static String hex(byte[] hash) {
    return HexFormat.of().formatHex(hash);
  }

  static void checkHash(String hex) {
    if (hex.length() != 2 * HASH_BYTES || !hex.matches("[0-9a-f]*")) {
      throw TokenScope.invalid("hash of " + hex.length() + " characters (expected: 64 hex digits)");
    }
  }
}
