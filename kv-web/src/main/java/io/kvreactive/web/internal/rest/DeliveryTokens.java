package io.kvreactive.web.internal.rest;

import io.kvreactive.spi.LeaseToken;
import io.kvreactive.web.internal.database.Database;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;

/** The tokens by which callers refer to deliveries: opaque text, valid for its database only. */
final class DeliveryTokens {
  private static final int ID_BYTES = 12;
  private static final int HEAD_BYTES = 2 * Long.BYTES + ID_BYTES;
  private static final int MAX_CHARS = 4096;

  private DeliveryTokens() {}

  static String write(Database database, LeaseToken token) {
    byte[] queue = token.queue().getBytes(StandardCharsets.UTF_8);
    ByteBuffer bytes = ByteBuffer.allocate(HEAD_BYTES + queue.length);
    bytes.putLong(mark(database)).putLong(token.lease());
    bytes.put(HexFormat.of().parseHex(token.id())).put(queue);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
  }

  /**
   * Parses a token. The delivery need not exist.
   *
   * @throws io.kvreactive.web.WebException BAD_REQUEST
   */
  static LeaseToken read(Database database, String text) {
    try {
      ByteBuffer bytes =
          ByteBuffer.wrap(Base64.getUrlDecoder().decode(text.length() > MAX_CHARS ? "" : text));
      if (bytes.remaining() >= HEAD_BYTES && bytes.getLong() == mark(database)) {
        long lease = bytes.getLong();
        byte[] id = new byte[ID_BYTES];
        bytes.get(id);
        String queue = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
        return new LeaseToken(queue, HexFormat.of().formatHex(id), lease);
      }
    } catch (IllegalArgumentException | CharacterCodingException e) {
      // reported below
    }
    throw StrictJson.bad(
        "token: \"%s\" (expected: a token of a claim in this database)"
            .formatted(StrictJson.excerpt(text)));
  }

  private static long mark(Database database) {
    return database.id().getLeastSignificantBits();
  }
}
