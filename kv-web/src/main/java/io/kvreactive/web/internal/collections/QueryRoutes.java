package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.QueryPage;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.protocol.CollectionMessages;
import io.kvreactive.protocol.JsonForm;
import io.kvreactive.protocol.QueryRequest;
import io.kvreactive.protocol.QueryRequest.Explain;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.FluxSource;
import io.kvreactive.web.internal.http.Outlet;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.http.WholeSource;
import io.kvreactive.web.internal.rest.ContentNegotiation;
import io.kvreactive.web.internal.rest.OperationRoutes;
import io.kvreactive.web.internal.rest.QueryParams;
import io.kvreactive.web.internal.rest.Responses;
import io.kvreactive.web.internal.rest.RowText;
import io.kvreactive.web.internal.rest.StrictJson;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Routes of queries: the rows of a page, or all rows as lines. */
final class QueryRoutes {
  /** The memory that is reserved for a page. Most have few rows; larger ones take more. */
  private static final long PAGE_BYTES = 64 << 10;

  private static final JsonForm<QueryPage<RowText>> PAGE =
      CollectionMessages.page(JsonForm.writing(ServerMessages::raw));

  private QueryRoutes() {}

  static void mount(OperationRoutes routes) {
    routes.body(Operation.QUERY_ITEMS, QueryRoutes::read, QueryRoutes::query);
    routes.body(
        Operation.DELETE_MANY_ITEMS,
        context -> ServerMessages.deletion(OperationRoutes.json(context)),
        QueryRoutes::delete);
  }

  private static QueryRequest read(RoutingContext context) {
    return StrictJson.read(OperationRoutes.json(context), "body", ServerMessages.REQUESTS.query);
  }

  private static void query(RoutingContext context, QueryRequest body) {
    var unused = QueryParams.of(context);
    answer(context, body);
  }

  /** Answers with the rows of a query: a page, or all rows as lines. */
  static void answer(RoutingContext context, QueryRequest body) {
    String type = ContentNegotiation.choose(context, Responses.JSON, Responses.NDJSON);
    DocumentCollection<ObjectNode> items = CollectionParams.collection(context);
    SqlQuery query = ServerMessages.of(body.query(), RequestContext.of(context).caller());
    if (type.equals(Responses.NDJSON)) {
      lines(context, items, query);
    } else if (body.explain() == Explain.ONLY) {
      Responses.when(
          context,
          items.explain(query),
          explained ->
              Responses.json(context, CollectionMessages.EXPLANATION.writeObject(explained)));
    } else {
      page(context, items, query);
    }
  }

  /** Deletes the items that a query finds, and reports the progress about once a second. */
  private static void delete(RoutingContext context, SqlQuery requested) {
    var unused = QueryParams.of(context);
    SqlQuery query = ServerMessages.of(requested, RequestContext.of(context).caller());
    PartitionRoutes.answerLines(context, CollectionParams.collection(context).deleteMany(query));
  }

  private static void page(
      RoutingContext context, DocumentCollection<ObjectNode> items, SqlQuery query) {
    Mono<WholeSource.Whole> answer =
        items
            .page(query, RowText.class)
            .map(page -> Responses.whole(page.snapshot(), PAGE.writeObject(page)));
    Outlet.write(context, new WholeSource(PAGE_BYTES, answer));
  }

  /** Answers with all rows of one version, one per line, with the demand of the connection. */
  private static void lines(
      RoutingContext context, DocumentCollection<ObjectNode> items, SqlQuery query) {
    Flux<Buffer> rows =
        items
            .query(query, RowText.class)
            .map(row -> Buffer.buffer(row.json()).appendByte((byte) '\n'))
            .subscribeOn(Schedulers.parallel(), false); // for an event loop, rows are read ahead
    Outlet.write(context, new RowSource(rows));
  }

  /** The rows of a query, which holds memory until its end. */
  private static final class RowSource extends FluxSource {
    private static final long QUERY_BYTES = 512 << 10;
    private static final long WAIT_MILLIS = 2;

    private final Flux<Buffer> rows;

    RowSource(Flux<Buffer> rows) {
      super(PART_BYTES, WAIT_MILLIS, response -> Responses.setType(response, Responses.NDJSON));
      this.rows = rows;
    }

    @Override
    protected Flux<Element> elements(@Nullable Versionstamp after) {
      return rows.map(row -> new Element(row, null));
    }

    @Override
    public long standingBytes() {
      return QUERY_BYTES;
    }
  }
}
