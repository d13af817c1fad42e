package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.json.KvJson;
import io.kvreactive.spi.StoredEntry;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** JSON of entries; keys and values are in the notation of {@code KvJson}. */
public final class EntryJson {
  private EntryJson() {}

  /** Returns an entry, present or absent. The value is omitted if it was not read. */
  public static ObjectNode of(KvEntry<KvValue> entry) {
    ObjectNode json = StrictJson.object();
    json.set("key", KvJson.toJson(entry.key()));
    Versionstamp versionstamp = entry.versionstamp();
    KvValue value = entry.value();
    if (value != null) {
      json.set("value", KvJson.toJson(value));
    } else if (versionstamp == null) {
      json.putNull("value");
    }
    json.put("versionstamp", versionstamp == null ? null : versionstamp.toString());
    Instant expireAt = entry.expireAt();
    if (expireAt != null) {
      json.put("expireAt", expireAt.toEpochMilli());
    }
    return json;
  }

  /**
   * Returns an entry that was read from the engine.
   *
   * @param entry the entry, or null if the key is absent
   */
  public static ObjectNode of(byte[] key, @Nullable StoredEntry entry) {
    ObjectNode json = StrictJson.object();
    json.set("key", KvJson.toJson(KvKey.fromEncoded(key)));
    if (entry == null) {
      return json.putNull("value").putNull("versionstamp");
    }
    KvValue value = entry.value();
    if (value != null) {
      json.set("value", KvJson.toJson(value));
    }
    json.put("versionstamp", entry.versionstamp().toString());
    if (entry.expireAt() != 0) {
      json.put("expireAt", entry.expireAt());
    }
    return json;
  }
}
