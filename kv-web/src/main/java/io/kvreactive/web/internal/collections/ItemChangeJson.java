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

  /** Returns a page. */
  public static ObjectNode of(ChangePage<RowText> page) {
    ObjectNode json = StrictJson.object();
    ArrayNode changes = json.putArray("changes");
    for (ItemChanges<RowText> commit : page.commits()) {
      for (Change<RowText> change : commit.changes()) {
        changes.add(of(commit.versionstamp(), change));
      }
    }
    return json.put("continuation", page.continuation().toString());
  }

  /** Returns a change. A delete in a collection with a partition key has the partition key. */
  public static ObjectNode of(Versionstamp versionstamp, Change<RowText> change) {
    ObjectNode json = StrictJson.object().put("versionstamp", versionstamp.toString());
    if (change instanceof Change.Upsert<RowText> upsert) {
      json.put("type", "upsert").put("id", change.id());
      json.putRawValue("item", new RawValue(upsert.item().value().json()));
    } else if (change instanceof Change.Delete<RowText> delete) {
      json.put("type", "delete").put("id", change.id());
      if (!delete.partitionKey().values().isEmpty()) {
        json.set("partitionKey", StrictJson.array(delete.partitionKey().values()));
      }
    }
    Item<RowText> previous = change.previous();
    if (previous != null) {
      json.putRawValue("previous", new RawValue(previous.value().json()));
    }
    return json;
  }
}
