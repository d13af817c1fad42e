package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import io.kvreactive.index.Collection;
import io.kvreactive.index.Explanation;
import io.kvreactive.index.QueryMetrics;
import io.kvreactive.index.QueryPage;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.Call;
import io.kvreactive.web.internal.http.Streaming;
import io.kvreactive.web.internal.rest.Accepts;
import io.kvreactive.web.internal.rest.Json;
import io.kvreactive.web.internal.rest.Query;
import io.kvreactive.web.internal.rest.Replies;
import io.kvreactive.web.internal.rest.Routes;
import io.kvreactive.web.internal.rest.RowText;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import reactor.core.publisher.Mono;

/** Queries: page by page, or all rows as lines. */
final class QueryRoutes {
  private static final double NANOS_PER_MILLI = 1e6;

  private QueryRoutes() {}

  static void mount(Routes routes) {
    routes.body(Operation.QUERY, QueryRoutes::asked, QueryRoutes::query, Replies.JSON);
  }

  private static QueryJson asked(RoutingContext context) {
    return QueryJson.of(Routes.json(context));
  }

  private static void query(RoutingContext context, QueryJson body) {
    var unused = Query.of(context);
    String type = Accepts.choose(context, Replies.JSON, Replies.NDJSON);
    Collection<ObjectNode> items = Asked.collection(context);
    QueryJson asked = body.of(Call.of(context).caller());
    if (type.equals(Replies.NDJSON)) {
      lines(context, items, asked);
    } else if (asked.explainOnly()) {
      Replies.when(
          context,
          items.explain(asked.query()),
          explained -> Replies.json(context, explained(Json.object(), explained)));
    } else {
      page(context, items, asked);
    }
  }

  private static void page(RoutingContext context, Collection<ObjectNode> items, QueryJson asked) {
    Mono<ObjectNode> body =
        items
            .page(asked.query(), RowText.class)
            .doOnNext(page -> Replies.stamp(context, page.snapshot()))
            .map(QueryRoutes::json);
    if (asked.explain()) {
      body =
          body.flatMap(
              json -> items.explain(asked.query()).map(explained -> explained(json, explained)));
    }
    Replies.when(context, body, json -> Replies.json(context, json));
  }

  private static ObjectNode json(QueryPage<RowText> page) {
    ObjectNode json = Json.object();
    ArrayNode items = json.putArray("items");
    page.items().forEach(row -> items.addRawValue(new RawValue(row.json())));
    json.put("continuation", page.continuation());
    json.put("versionstamp", page.snapshot().toString());
    QueryMetrics metrics = page.metrics();
    json.putObject("metrics")
        .put("entriesRead", metrics.entriesRead())
        .put("retrievedItems", metrics.retrievedItems())
        .put("retrievedBytes", metrics.retrievedBytes())
        .put("outputItems", metrics.outputItems())
        .put("indexHitRatio", metrics.indexHitRatio())
        .put("compileMs", metrics.compileTime().toNanos() / NANOS_PER_MILLI)
        .put("totalMs", metrics.totalTime().toNanos() / NANOS_PER_MILLI);
    return json;
  }

  private static ObjectNode explained(ObjectNode json, Explanation explained) {
    json.set("plan", explained.plan());
    json.set("indexMetrics", explained.indexMetrics());
    return json;
  }

  /** All rows, one a line, read at one version; as fast as the caller takes them. */
  private static void lines(RoutingContext context, Collection<ObjectNode> items, QueryJson asked) {
    context
        .response()
        .putHeader("Content-Type", Replies.NDJSON)
        .putHeader("Cache-Control", "no-store");
    Streaming.write(
        context,
        items
            .query(asked.query(), RowText.class)
            .map(row -> Buffer.buffer(row.json()).appendByte((byte) '\n')));
  }
}
