package io.kvreactive.web.internal.feed;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvChange;
import io.kvreactive.KvCommit;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.json.KvJson;
import io.kvreactive.web.internal.rest.RangeParams;
import io.kvreactive.web.internal.rest.StrictJson;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** JSON of commits in a change feed. */
public final class ChangeJson {
  private ChangeJson() {}

  /** Returns a commit or a bookmark. */
  public static ObjectNode of(KvCommit<KvValue> commit) {
    ObjectNode json = stamp(commit.versionstamp());
    json.put("millis", commit.time().toEpochMilli());
    ArrayNode changes = json.putArray("changes");
    for (KvChange<KvValue> change : commit.changes()) {
      changes.add(of(change));
    }
    return json;
  }

  /** Returns an object with a versionstamp. */
  public static ObjectNode stamp(Versionstamp versionstamp) {
    return StrictJson.object().put("versionstamp", versionstamp.toString());
  }

  private static ObjectNode of(KvChange<KvValue> change) {
    if (change instanceof KvChange.Set<KvValue> set) {
      ObjectNode json = change("set", set.key());
      KvValue value = set.value();
      if (value != null) {
        json.set("value", KvJson.toJson(value));
      }
      expiry(json, set.expireAt());
      return old(json, set.oldVersionstamp(), set.oldValue());
    } else if (change instanceof KvChange.Delete<KvValue> delete) {
      return old(change("delete", delete.key()), delete.oldVersionstamp(), delete.oldValue());
    } else if (change instanceof KvChange.Expire<KvValue> expire) {
      return old(change("expire", expire.key()), expire.oldVersionstamp(), expire.oldValue());
    } else if (change instanceof KvChange.Touch<KvValue> touch) {
      ObjectNode json = change("touch", touch.key());
      expiry(json, touch.expireAt());
      return old(json, touch.oldVersionstamp(), touch.oldValue());
    }
    return range(((KvChange.DeleteRange<KvValue>) change).range());
  }

  private static ObjectNode change(String type, KvKey key) {
    ObjectNode json = StrictJson.object().put("type", type);
    json.set("key", KvJson.toJson(key));
    return json;
  }

  private static void expiry(ObjectNode json, @Nullable Instant expireAt) {
    if (expireAt != null) {
      json.put("expireAt", expireAt.toEpochMilli());
    }
  }

  private static ObjectNode old(
      ObjectNode json, @Nullable Versionstamp versionstamp, @Nullable KvValue value) {
    if (versionstamp != null) {
      json.put("oldVersionstamp", versionstamp.toString());
    }
    if (value != null) {
      json.set("oldValue", KvJson.toJson(value));
    }
    return json;
  }

  private static ObjectNode range(KvRange range) {
    ObjectNode json = StrictJson.object().put("type", "deleteRange");
    KvKey prefix = RangeParams.prefixOf(range);
    if (prefix != null) {
      json.set("prefix", KvJson.toJson(prefix));
    } else {
      json.set("start", KvJson.toJson(KvKey.fromEncoded(range.startBytes())));
      json.set("end", KvJson.toJson(KvKey.fromEncoded(range.endBytes())));
    }
    return json;
  }
}
