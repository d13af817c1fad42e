package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.ChangeFeedOptions;
import io.kvreactive.index.ChangePage;
import io.kvreactive.index.Item;
import io.kvreactive.index.ItemChanges;
import io.kvreactive.index.ItemChanges.Change;
import io.kvreactive.web.internal.rest.RowText;
import io.kvreactive.web.internal.rest.StrictJson;
import org.jspecify.annotations.Nullable;

/** JSON of the changes of a collection's items. */
public final class ItemChangeJson {
  private ItemChangeJson() {}

  /**
   * Parses the name of a mode.
   *
   * @param text {@code latest}, {@code all}, or null for the default, {@code latest}
   * @throws io.kvreactive.web.WebException BAD_REQUEST
   */
  public static ChangeFeedOptions.Mode mode(@Nullable String text) {
    if (text == null || text.equals("latest")) {
      return ChangeFeedOptions.Mode.LATEST;
    }
    if (text.equals("all")) {
      return ChangeFeedOptions.Mode.ALL;
    }
    throw StrictJson.bad(
        "mode: \"%s\" (expected: latest or all)".formatted(StrictJson.excerpt(text)));
  }

  /**
   * Returns a page.
   *
   * @param page items as text or as trees
   * @param details true to add the times of the commits
   */
  public static ObjectNode of(ChangePage<?> page, boolean details) {
    ObjectNode json = StrictJson.object();
    ArrayNode changes = json.putArray("changes");
    for (ItemChanges<?> commit : page.commits()) {
      for (Change<?> change : commit.changes()) {
        changes.add(of(commit, change, details));
      }
    }
    return json.put("continuation", page.continuation().toString()).put("hasMore", page.hasMore());
  }

  /**
   * Returns a change of a commit.
   *
   * @param details true to add the time of the commit
   */
  static ObjectNode of(ItemChanges<?> commit, Change<?> change, boolean details) {
    ObjectNode json = of(commit.versionstamp(), change);
    return details ? json.put("millis", commit.time().toEpochMilli()) : json;
  }

  /**
   * Returns a change, of an item as text or as a tree. A delete in a collection with a partition
   * key has the partition key, and the delete of an expired item has {@code timeToLiveExpired}.
   */
  public static ObjectNode of(Versionstamp versionstamp, Change<?> change) {
    ObjectNode json = StrictJson.object().put("versionstamp", versionstamp.toString());
    if (change instanceof Change.Upsert<?> upsert) {
      json.put("type", "upsert").put("id", change.id());
      put(json, "item", upsert.item());
    } else if (change instanceof Change.Delete<?> delete) {
      json.put("type", "delete").put("id", change.id());
      if (!delete.partitionKey().values().isEmpty()) {
        json.set("partitionKey", StrictJson.array(delete.partitionKey().values()));
      }
      if (delete.isExpired()) {
        json.put("timeToLiveExpired", true);
      }
    }
    Item<?> previous = change.previous();
    if (previous != null) {
      put(json, "previous", previous);
    }
    return json;
  }

  private static void put(ObjectNode json, String name, Item<?> item) {
    if (item.value() instanceof RowText text) {
      json.putRawValue(name, new RawValue(text.json()));
    } else {
      json.set(name, (ObjectNode) item.value());
    }
  }
}
