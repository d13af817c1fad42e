package io.kvreactive.index.internal.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.internal.value.Json;
import java.util.Arrays;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An item as it is stored: a byte of format and flags, the second of the last write, and the
 * document as JSON without {@code _ts} and {@code _etag}. The document is parsed when it is asked
 * for.
 */
public final class StoredItem {
  /** Second of the last write. */
  public static final String TS = "_ts";

  /** The commit of the last write. */
  public static final String ETAG = "_etag";

  /** Seconds to live. */
  public static final String TTL = "ttl";

  private static final int FORMAT = 0x10;
  private static final int INDEXED = 1;
  private static final int HEADER = 1 + Long.BYTES;

  private final byte[] bytes;
  private final Versionstamp etag;
  private @Nullable ObjectNode document; // until asked for, null
  private @Nullable Set<String> members; // null for all

  private StoredItem(byte[] bytes, Versionstamp etag) {
    this.bytes = bytes;
    this.etag = etag;
  }

  /**
   * @param json the document without {@code _ts} and {@code _etag}
   * @param timestamp seconds since 1970
   */
  public static KvValue encode(byte[] json, long timestamp, boolean indexed) {
    byte[] bytes = new byte[HEADER + json.length];
    bytes[0] = (byte) (FORMAT | (indexed ? INDEXED : 0));
    KeyBytes.putLong(bytes, 1, timestamp);
    System.arraycopy(json, 0, bytes, HEADER, json.length);
    return new KvValue(KvValue.Encoding.BYTES, bytes);
  }

  /**
   * @param bytes of the value; not copied, must not be changed
   * @param versionstamp of the key
   * @throws KvException CORRUPT
   */
  public static StoredItem decode(byte[] bytes, Versionstamp versionstamp) {
    if (bytes.length < HEADER + 2 || (bytes[0] & 0xF0) != FORMAT) {
      throw new KvException(
          KvErrorCode.CORRUPT,
          "an item of " + bytes.length + " bytes (expected: format 1, which it does not have)");
    }
    return new StoredItem(bytes, versionstamp);
  }

  /** Whether it has entries in the indexes. */
  public boolean indexed() {
    return (bytes[0] & INDEXED) != 0;
  }

  /** Second of the last write, since 1970. */
  public long timestamp() {
    return KeyBytes.toLong(bytes, 1);
  }

  public Versionstamp etag() {
    return etag;
  }

  /** As stored; must not be changed. */
  byte[] encoded() {
    return bytes;
  }

  /** As stored. */
  public int size() {
    return bytes.length;
  }

  /** The document as JSON, as stored. */
  public byte[] json() {
    return Arrays.copyOfRange(bytes, HEADER, bytes.length);
  }

  /**
   * Lets {@link #document()} have only some members, besides those of the system and {@code ttl}.
   *
   * @param names of the members, or null for all
   */
  public StoredItem only(@Nullable Set<String> names) {
    members = names;
    return this;
  }

  /**
   * The document, with {@code _ts} and {@code _etag} as its last members; the same at each call, so
   * it must not be changed. One thread at a time.
   */
  public ObjectNode document() {
    ObjectNode known = document;
    if (known == null) {
      known = withSystemMembers(read(), timestamp(), etag);
      document = known;
    }
    return known;
  }

  /** What has entries in indexes: the document with {@code _ts}, parsed anew. */
  public ObjectNode indexable() {
    return parsed().put(TS, timestamp());
  }

  /**
   * Some members of what has entries in indexes.
   *
   * @param names of members; {@code _ts} is there in any case
   */
  public ObjectNode indexable(Set<String> names) {
    return parsed(names::contains).put(TS, timestamp());
  }

  private ObjectNode read() {
    Set<String> names = members;
    return names == null ? parsed() : parsed(name -> name.equals(TTL) || names.contains(name));
  }

  private ObjectNode parsed(Predicate<String> names) {
    ObjectNode some = Json.parseMembers(json(), names);
    if (some == null) {
      throw noObject();
    }
    return some;
  }

  private ObjectNode parsed() {
    if (Json.parse(json()) instanceof ObjectNode object) {
      return object;
    }
    throw noObject();
  }

  private static KvException noObject() {
    return new KvException(KvErrorCode.CORRUPT, "an item that is no object");
  }

  /** Adds what the store adds to a document. */
  public static ObjectNode withSystemMembers(
      ObjectNode document, long timestamp, Versionstamp etag) {
    return document.put(TS, timestamp).put(ETAG, etag.toString());
  }

  /** The seconds to live that a document has of its own, -1 for never; null when it has none. */
  public static @Nullable Integer ttl(JsonNode document) {
    JsonNode ttl = document.get(TTL);
    return ttl == null || !ttl.canConvertToInt() ? null : Integer.valueOf(ttl.intValue());
  }

  /**
   * When it expires.
   *
   * @param defaultTtl of the collection; null where nothing expires
   * @return seconds since 1970; {@code Long.MAX_VALUE} for never
   */
  public long expiresAt(@Nullable Integer defaultTtl) {
    if (defaultTtl == null) {
      return Long.MAX_VALUE;
    }
    Integer own = ttl(document());
    int seconds = own == null ? defaultTtl : own;
    return seconds < 0 ? Long.MAX_VALUE : timestamp() + seconds;
  }

  /** Whether it is gone for readers. */
  public boolean expired(@Nullable Integer defaultTtl, long nowSeconds) {
    return defaultTtl != null && expiresAt(defaultTtl) <= nowSeconds;
  }
}
