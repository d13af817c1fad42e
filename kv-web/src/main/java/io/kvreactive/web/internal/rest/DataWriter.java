package io.kvreactive.web.internal.rest;

import io.kvreactive.KvChange;
import io.kvreactive.KvCommit;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.json.KvJsonWriter;
import io.kvreactive.spi.StoredEntry;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Writes entries and commits as JSON, alike in answers, events and frames. Keys and values are in
 * the notation of {@code KvJson}. Not thread-safe.
 */
public final class DataWriter {
  private static final int EXPECTED = 128; // bytes of an entry besides its key and value
  private static final int MAX_EXPECTED = 64 << 10;

  private final KvJsonWriter json;

  /** Creates a writer that appends to another one. */
  public DataWriter(KvJsonWriter json) {
    this.json = json;
  }

  /** Returns an entry, present or absent, in UTF-8. */
  public static byte[] bytes(KvEntry<KvValue> entry) {
    KvJsonWriter json = new KvJsonWriter();
    new DataWriter(json).entry(entry);
    return json.toBytes();
  }

  /** Returns an entry in UTF-8. */
  static byte[] bytes(StoredEntry entry) {
    KvJsonWriter json =
        new KvJsonWriter((int) Math.min(MAX_EXPECTED, EXPECTED + 2 * entry.bytes()));
    new DataWriter(json).entry(entry);
    return json.toBytes();
  }

  /** Returns a commit in UTF-8. */
  public static byte[] bytes(KvCommit<KvValue> commit) {
    KvJsonWriter json = new KvJsonWriter().raw("{");
    new DataWriter(json).members(commit);
    return json.raw("}").toBytes();
  }

  /** Returns an object with a versionstamp, in UTF-8. */
  public static byte[] bytes(Versionstamp versionstamp) {
    return new KvJsonWriter(EXPECTED)
        .raw("{\"versionstamp\":")
        .versionstamp(versionstamp)
        .raw("}")
        .toBytes();
  }

  // ---- entries

  /** Writes an entry, present or absent. The value is omitted if it was not read. */
  public void entry(KvEntry<KvValue> entry) {
    Versionstamp stamp = entry.versionstamp();
    if (stamp == null) {
      absent(entry.key().bytes());
    } else {
      present(entry.key().bytes(), entry.value(), stamp, millis(entry.expireAt()));
    }
  }

  /** Writes an entry. The value is omitted if it was not read. */
  public void entry(StoredEntry entry) {
    present(entry.key(), entry.value(), entry.versionstamp(), entry.expireAt());
  }

  private void present(byte[] key, @Nullable KvValue value, Versionstamp stamp, long expireAt) {
    json.raw("{\"key\":").key(key);
    value("value", value);
    json.raw(",\"versionstamp\":").versionstamp(stamp);
    expiry(expireAt);
    json.raw("}");
  }

  /** Writes the entry of a key that is absent. */
  public void absent(byte[] key) {
    json.raw("{\"key\":").key(key).raw(",\"value\":null,\"versionstamp\":null}");
  }

  private static long millis(@Nullable Instant time) {
    return time == null ? 0 : time.toEpochMilli();
  }

  private void expiry(long expireAt) {
    if (expireAt != 0) {
      json.raw(",\"expireAt\":").number(expireAt);
    }
  }

  private void value(String name, @Nullable KvValue value) {
    if (value != null) {
      json.raw(",\"").raw(name).raw("\":").value(value);
    }
  }

  // ---- commits

  /** Writes the members of a commit, of which the first one is {@code versionstamp}. */
  public void members(KvCommit<KvValue> commit) {
    json.raw("\"versionstamp\":").versionstamp(commit.versionstamp());
    json.raw(",\"millis\":").number(commit.time().toEpochMilli());
    String separator = ",\"changes\":[";
    for (KvChange<KvValue> change : commit.changes()) {
      json.raw(separator);
      change(change);
      separator = ",";
    }
    json.raw(commit.changes().isEmpty() ? separator + "]" : "]");
  }

  private void change(KvChange<KvValue> change) {
    if (change instanceof KvChange.Set<KvValue> set) {
      change("set", set.key());
      value("value", set.value());
      expiry(millis(set.expireAt()));
      before(set.oldVersionstamp(), set.oldValue());
    } else if (change instanceof KvChange.Touch<KvValue> touch) {
      change("touch", touch.key());
      expiry(millis(touch.expireAt()));
      before(touch.oldVersionstamp(), touch.oldValue());
    } else if (change instanceof KvChange.Delete<KvValue> delete) {
      change("delete", delete.key());
      before(delete.oldVersionstamp(), delete.oldValue());
    } else if (change instanceof KvChange.Expire<KvValue> expire) {
      change("expire", expire.key());
      before(expire.oldVersionstamp(), expire.oldValue());
    } else {
      range(((KvChange.DeleteRange<KvValue>) change).range());
    }
    json.raw("}");
  }

  private void change(String type, KvKey key) {
    json.raw("{\"type\":\"").raw(type).raw("\",\"key\":").key(key);
  }

  /**
   * Writes a range as a prefix if possible, otherwise as its bounds. A bound may be a key or other
   * bytes.
   */
  private void range(KvRange range) {
    json.raw("{\"type\":\"deleteRange\",\"");
    KvKey prefix = RangeParams.prefixOf(range);
    if (prefix != null) {
      json.raw("prefix\":").key(prefix);
    } else {
      json.raw("start\":").key(range.startBytes());
      json.raw(",\"end\":").key(range.endBytes());
    }
  }

  private void before(@Nullable Versionstamp stamp, @Nullable KvValue value) {
    if (stamp != null) {
      json.raw(",\"oldVersionstamp\":").versionstamp(stamp);
    }
    value("oldValue", value);
  }
}
