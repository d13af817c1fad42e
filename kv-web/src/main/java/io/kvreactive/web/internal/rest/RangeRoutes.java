package io.kvreactive.web.internal.rest;

import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.ListOptions;
import io.kvreactive.protocol.JsonForm;
import io.kvreactive.spi.Mutation;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.BodyReader;
import io.kvreactive.web.internal.http.RequestContext;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/** Routes of several keys or a range: get many, list, delete, count, export. */
final class RangeRoutes {
  private static final int PAGE = 100;
  private static final int MAX_KEYS = 10_000;
  private static final String KEYS = "keys";
  private static final String LIMIT = "limit";
  private static final String CURSOR = "cursor";
  private static final String REVERSE = "reverse";
  private static final String KEYS_ONLY = "keysOnly";
  private static final String CONSISTENCY = "consistency";

  private RangeRoutes() {}

  static void mount(OperationRoutes routes) {
    routes.body(Operation.GET_ENTRIES, RangeRoutes::keys, RangeRoutes::getMany);
    routes.plain(Operation.LIST_ENTRIES, RangeRoutes::list);
    routes.plain(Operation.DELETE_ENTRIES, RangeRoutes::deleteRange);
    routes.plain(Operation.COUNT, RangeRoutes::count);
    routes.plain(Operation.EXPORT, RangeRoutes::export);
  }

  private static List<KvKey> keys(RoutingContext context) {
    var unused = QueryParams.of(context);
    List<KvKey> keys =
        StrictJson.input(OperationRoutes.json(context), "body")
            .members(KEYS)
            .readList(KEYS, JsonForm.STORED_KEY);
    if (keys.isEmpty() || keys.size() > MAX_KEYS) {
      throw StrictJson.bad("keys: %d (expected: 1..%d)".formatted(keys.size(), MAX_KEYS));
    }
    for (KvKey key : keys) {
      var unusedKey = WriteRequests.authorized(context, key);
    }
    return keys;
  }

  private static void getMany(RoutingContext context, List<KvKey> keys) {
    BodyReader.release(context); // the keys are held, the JSON is not needed any more
    EntrySource.keys(context, keys);
  }

  private static void list(RoutingContext context) {
    String type = ContentNegotiation.choose(context, Responses.JSON, Responses.NDJSON);
    QueryParams query =
        type.equals(Responses.JSON)
            ? RangeParams.query(context, LIMIT, CURSOR, REVERSE, KEYS_ONLY)
            : RangeParams.query(context, LIMIT, CURSOR, REVERSE, KEYS_ONLY, CONSISTENCY);
    KvRange range = RangeParams.authorized(context, RangeParams.of(query));
    if (type.equals(Responses.NDJSON)) {
      EntrySource.lines(context, range, streamOptions(query));
      return;
    }
    int most = RequestContext.of(context).kv().limits().maxBatchSize();
    int limit = (int) query.whole(LIMIT, Math.min(PAGE, most), 1, most);
    EntrySource.page(context, range, common(query), limit);
  }

  private static ListOptions common(QueryParams query) {
    String cursor = query.text(CURSOR);
    return ListOptions.DEFAULT
        .withReverse(query.flag(REVERSE))
        .withKeysOnly(query.flag(KEYS_ONLY))
        .withCursor(cursor == null ? "" : cursor);
  }

  private static ListOptions streamOptions(QueryParams query) {
    return common(query)
        .withLimit(query.whole(LIMIT, ListOptions.UNLIMITED, 1, ListOptions.UNLIMITED))
        .withConsistency(consistency(query));
  }

  private static ListOptions.Consistency consistency(QueryParams query) {
    String text = query.text(CONSISTENCY);
    if (text == null || text.equals("snapshot")) {
      return ListOptions.Consistency.SNAPSHOT;
    }
    if (text.equals("page")) {
      return ListOptions.Consistency.PAGE;
    }
    throw StrictJson.bad(
        "consistency: \"%s\" (expected: snapshot or page)".formatted(StrictJson.excerpt(text)));
  }

  private static void export(RoutingContext context) {
    QueryParams query = RangeParams.query(context, CONSISTENCY);
    KvRange range = RangeParams.authorized(context, RangeParams.of(query));
    var unused = ContentNegotiation.choose(context, Responses.NDJSON);
    EntrySource.lines(context, range, ListOptions.DEFAULT.withConsistency(consistency(query)));
  }

  private static void deleteRange(RoutingContext context) {
    QueryParams query = RangeParams.query(context);
    KvRange range = RangeParams.authorized(context, RangeParams.explicit(query));
    Mutation delete = new Mutation.DeleteRange(range.startBytes(), range.endBytes());
    WriteRequests.answer(
        context, WriteRequests.commit(context, List.of(), List.of(delete), List.of()));
  }

  private static void count(RoutingContext context) {
    QueryParams query = RangeParams.query(context);
    KvRange range = RangeParams.authorized(context, RangeParams.of(query));
    Responses.when(
        context,
        RequestContext.of(context).kv().count(range),
        count -> Responses.json(context, StrictJson.object().put("count", count)));
  }
}
