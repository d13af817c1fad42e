package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvPage;
import io.kvreactive.KvRange;
import io.kvreactive.KvValue;
import io.kvreactive.ListOptions;
import io.kvreactive.spi.Mutation;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.Call;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/** Several keys and ranges: get many, list, delete, count. */
final class EntriesRoutes {
  private static final int PAGE = 100;
  private static final int MOST_KEYS = 10_000;
  private static final String KEYS = "keys";
  private static final String LIMIT = "limit";
  private static final String CURSOR = "cursor";
  private static final String REVERSE = "reverse";
  private static final String KEYS_ONLY = "keysOnly";
  private static final String CONSISTENCY = "consistency";

  private EntriesRoutes() {}

  static void mount(Routes routes) {
    routes.body(Operation.GET_ENTRIES, EntriesRoutes::keys, EntriesRoutes::getMany, Replies.JSON);
    routes.plain(Operation.LIST_ENTRIES, EntriesRoutes::list);
    routes.plain(Operation.DELETE_ENTRIES, EntriesRoutes::deleteRange);
    routes.plain(Operation.COUNT, EntriesRoutes::count);
    routes.plain(Operation.EXPORT, EntriesRoutes::export);
  }

  private static List<KvKey> keys(RoutingContext context) {
    var unused = Query.of(context);
    List<KvKey> keys = Fields.of(Routes.json(context), "body", KEYS).storedKeys(KEYS);
    if (keys.isEmpty() || keys.size() > MOST_KEYS) {
      throw Json.bad("keys: %d (expected: 1..%d)".formatted(keys.size(), MOST_KEYS));
    }
    for (KvKey key : keys) {
      var unusedKey = Writes.authorized(context, key);
    }
    return keys;
  }

  private static void getMany(RoutingContext context, List<KvKey> keys) {
    EntryArray.answer(context, Call.of(context).kv().getMany(keys, KvValue.class));
  }

  private static void put(ObjectNode body, List<KvEntry<KvValue>> entries) {
    ArrayNode array = body.putArray("entries");
    for (KvEntry<KvValue> entry : entries) {
      array.add(EntryJson.of(entry));
    }
  }

  private static void list(RoutingContext context) {
    String type = Accepts.choose(context, Replies.JSON, Replies.NDJSON);
    Query query =
        type.equals(Replies.JSON)
            ? Query.of(
                context, Ranges.PREFIX, Ranges.START, Ranges.END, LIMIT, CURSOR, REVERSE, KEYS_ONLY)
            : Query.of(
                context,
                Ranges.PREFIX,
                Ranges.START,
                Ranges.END,
                LIMIT,
                CURSOR,
                REVERSE,
                KEYS_ONLY,
                CONSISTENCY);
    KvRange range = Ranges.authorized(context, Ranges.of(query));
    if (type.equals(Replies.NDJSON)) {
      RangeLines.answer(context, range, streamOptions(query));
      return;
    }
    Kv kv = Call.of(context).kv();
    int most = kv.limits().maxBatchSize();
    ListOptions options =
        common(query).withBatchSize((int) query.whole(LIMIT, Math.min(PAGE, most), 1, most));
    Replies.when(context, kv.page(range, options, KvValue.class), page -> answer(context, page));
  }

  private static void answer(RoutingContext context, KvPage<KvValue> page) {
    Replies.stamp(context, page.snapshot());
    ObjectNode body = Json.object();
    put(body, page.entries());
    body.put(CURSOR, page.more() ? page.cursor() : null);
    body.put("versionstamp", page.snapshot().toString());
    Replies.json(context, body);
  }

  private static ListOptions common(Query query) {
    String cursor = query.text(CURSOR);
    return ListOptions.DEFAULT
        .withReverse(query.flag(REVERSE))
        .withKeysOnly(query.flag(KEYS_ONLY))
        .withCursor(cursor == null ? "" : cursor);
  }

  private static ListOptions streamOptions(Query query) {
    return common(query)
        .withLimit(query.whole(LIMIT, ListOptions.UNLIMITED, 1, ListOptions.UNLIMITED))
        .withConsistency(consistency(query));
  }

  private static ListOptions.Consistency consistency(Query query) {
    String text = query.text(CONSISTENCY);
    if (text == null || text.equals("snapshot")) {
      return ListOptions.Consistency.SNAPSHOT;
    }
    if (text.equals("page")) {
      return ListOptions.Consistency.PAGE;
    }
    throw Json.bad(
        "consistency: \"%s\" (expected: snapshot or page)".formatted(Json.excerpt(text)));
  }

  private static void export(RoutingContext context) {
    Query query = Query.of(context, Ranges.PREFIX, Ranges.START, Ranges.END, CONSISTENCY);
    KvRange range = Ranges.authorized(context, Ranges.of(query));
    var unused = Accepts.choose(context, Replies.NDJSON);
    RangeLines.answer(context, range, ListOptions.DEFAULT.withConsistency(consistency(query)));
  }

  private static void deleteRange(RoutingContext context) {
    Query query = Query.of(context, Ranges.PREFIX, Ranges.START, Ranges.END);
    KvRange range = Ranges.authorized(context, Ranges.explicit(query));
    Mutation delete = new Mutation.DeleteRange(range.startBytes(), range.endBytes());
    Writes.answer(context, Writes.commit(context, List.of(), List.of(delete), List.of()));
  }

  private static void count(RoutingContext context) {
    Query query = Query.of(context, Ranges.PREFIX, Ranges.START, Ranges.END);
    KvRange range = Ranges.authorized(context, Ranges.of(query));
    Replies.when(
        context,
        Call.of(context).kv().count(range),
        count -> Replies.json(context, Json.object().put("count", count)));
  }
}
