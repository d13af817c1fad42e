package io.kvreactive.documents.internal.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.internal.eval.ComputedProperties;
import io.kvreactive.documents.internal.value.Json;
import io.kvreactive.documents.internal.value.MemberNames;
import io.kvreactive.spi.StoredEntry;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A stored item: a byte of format and flags, the second of the last write, and the document as JSON
 * without {@code _ts} and {@code _etag}. The document is parsed on demand.
 */
public final class StoredItem {
  /** The member with the second of the last write. */
  public static final String TS = "_ts";

  /** The member with the versionstamp of the last write. */
  public static final String ETAG = "_etag";

  /** The member with the seconds to live. */
  public static final String TTL = "ttl";

  private static final int FORMAT = 0x10;
  private static final int INDEXED = 1;
  private static final int HEADER = 1 + Long.BYTES;

  private final byte[] bytes;
  private final Versionstamp etag;
  private @Nullable ObjectNode document; // null until parsed
  private @Nullable Set<String> members; // null for all members
  private ComputedProperties computed = ComputedProperties.NONE;
  private @Nullable MemberNames shared;

  private StoredItem(byte[] bytes, Versionstamp etag) {
    this.bytes = bytes;
    this.etag = etag;
  }

  /**
   * Encodes an item.
   *
   * @param json the document without {@code _ts} and {@code _etag}
   * @param timestamp the time of the write, in seconds since 1970
   */
  public static KvValue encode(byte[] json, long timestamp, boolean indexed) {
    byte[] bytes = new byte[HEADER + json.length];
    bytes[0] = (byte) (FORMAT | (indexed ? INDEXED : 0));
    KeyBytes.putLong(bytes, 1, timestamp);
    System.arraycopy(json, 0, bytes, HEADER, json.length);
    return new KvValue(KvValue.Encoding.BYTES, bytes);
  }

  /**
   * Decodes an item.
   *
   * @param bytes the bytes of the value; not copied, must not be changed
   * @param versionstamp the versionstamp of the key
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

  /** Decodes a stored entry with its value, like the other overload. */
  public static StoredItem decode(StoredEntry entry) {
    return decode(Objects.requireNonNull(entry.value()).bytes(), entry.versionstamp());
  }

  /** Returns true if the item has index entries. */
  public boolean indexed() {
    return (bytes[0] & INDEXED) != 0;
  }

  /** Returns the time of the last write, in seconds since 1970. */
  public long timestamp() {
    return KeyBytes.toLong(bytes, 1);
  }

  public Versionstamp etag() {
    return etag;
  }

  /** Returns the stored bytes, which must not be changed. */
  byte[] encoded() {
    return bytes;
  }

  /** Returns the stored size in bytes. */
  public int size() {
    return bytes.length;
  }

  /**
   * Restricts {@link #document()} to some members, in addition to the system members.
   *
   * @param names the names of the members, or null for all
   */
  public StoredItem only(@Nullable Set<String> names) {
    members = names;
    return this;
  }

  /** Shares the names of members with other items of the collection. */
  public StoredItem sharing(MemberNames names) {
    shared = names;
    return this;
  }

  /** Makes {@link #document()} find computed properties by name. */
  public StoredItem computing(ComputedProperties properties) {
    computed = properties;
    return this;
  }

  /**
   * Returns the document, with {@code _ts} and {@code _etag} as its last members. All calls return
   * the same object, which must not be changed. Not thread-safe.
   */
  public ObjectNode document() {
    ObjectNode known = document;
    if (known == null) {
      known = computed.view(withSystemMembers(parsed(members), timestamp(), etag));
      document = known;
    }
    return known;
  }

  /** Returns the document as indexed, with {@code _ts}; parsed again at each call. */
  public ObjectNode indexable() {
    return parsed(null).put(TS, timestamp());
  }

  /**
   * Returns some members of the document as indexed.
   *
   * @param names the names of the members; {@code _ts} is always included
   */
  public ObjectNode indexable(Set<String> names) {
    return parsed(names).put(TS, timestamp());
  }

  private ObjectNode parsed(@Nullable Set<String> names) {
    ObjectNode parsed = Json.parseObject(bytes, HEADER, names, shared);
    if (parsed == null) {
      throw noObject();
    }
    return parsed;
  }

  private static KvException noObject() {
    return new KvException(KvErrorCode.CORRUPT, "an item that is no object");
  }

  /** Adds the system members to a document. */
  public static ObjectNode withSystemMembers(
      ObjectNode document, long timestamp, Versionstamp etag) {
    return document.put(TS, timestamp).put(ETAG, etag.toString());
  }

  /** Returns the document's own seconds to live, -1 for never, or null if it has none. */
  public static @Nullable Integer ttl(JsonNode document) {
    JsonNode ttl = document.get(TTL);
    return ttl == null || !ttl.canConvertToInt() ? null : Integer.valueOf(ttl.intValue());
  }

  /**
   * Returns the time of expiry.
   *
   * @param defaultTtl the collection's default; null if nothing expires
   * @return the seconds since 1970; {@code Long.MAX_VALUE} for never
   */
  public long expiresAt(@Nullable Integer defaultTtl) {
    return defaultTtl == null ? Long.MAX_VALUE : expiresAt(defaultTtl, document(), timestamp());
  }

  /**
   * Returns the time of expiry of a document.
   *
   * @param written the second of the write
   * @see #expiresAt(Integer)
   */
  public static long expiresAt(@Nullable Integer defaultTtl, JsonNode document, long written) {
    if (defaultTtl == null) {
      return Long.MAX_VALUE;
    }
    Integer own = ttl(document);
    int seconds = own == null ? defaultTtl : own;
    return seconds < 0 ? Long.MAX_VALUE : written + seconds;
  }

  /** Returns true if the item has expired, so that readers do not see it. */
  public boolean expired(@Nullable Integer defaultTtl, long nowSeconds) {
    return defaultTtl != null && expiresAt(defaultTtl) <= nowSeconds;
  }
}
