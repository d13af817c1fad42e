package io.kvreactive.web.internal.collections;

import io.kvreactive.Versionstamp;
import io.kvreactive.index.ChangeFeedOptions;
import io.kvreactive.index.ChangePage;
import io.kvreactive.index.DocumentCollection;
import io.kvreactive.index.ItemChanges;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.feed.EventStream;
import io.kvreactive.web.internal.http.Outlet;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.http.WholeSource;
import io.kvreactive.web.internal.rest.ContentNegotiation;
import io.kvreactive.web.internal.rest.OperationRoutes;
import io.kvreactive.web.internal.rest.QueryParams;
import io.kvreactive.web.internal.rest.Responses;
import io.kvreactive.web.internal.rest.RowText;
import io.kvreactive.web.internal.rest.StrictJson;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The route of a collection's change feed: pages, or server-sent events. */
final class ItemChangeRoutes {
  private static final String SINCE = "since";
  private static final String NOW = "now";
  private static final String LIMIT = "limit";
  private static final String MODE = "mode";
  private static final String DETAILS = "details";
  private static final int CHANGES = 100;

  /** Size in bytes after which a page ends, and twice that is held while it becomes JSON. */
  private static final long MAX_PAGE_BYTES = 8 << 20;

  private static final long CHANGE_BYTES = 8 << 10; // assumed

  private final ServerContext serverContext;

  private ItemChangeRoutes(ServerContext serverContext) {
    this.serverContext = serverContext;
  }

  static void mount(OperationRoutes routes, ServerContext serverContext) {
    routes.plain(Operation.ITEM_CHANGES, new ItemChangeRoutes(serverContext)::changes);
  }

  private void changes(RoutingContext context) {
    if (ContentNegotiation.choose(context, Responses.JSON, EventStream.EVENTS)
        .equals(EventStream.EVENTS)) {
      events(context);
    } else {
      page(context);
    }
  }

  private static DocumentCollection<RowText> collection(RoutingContext context) {
    return RequestContext.of(context)
        .index()
        .collection(CollectionParams.name(context), RowText.class);
  }

  private static ChangeFeedOptions options(QueryParams query, @Nullable Versionstamp since) {
    return new ChangeFeedOptions(
        ItemChangeJson.mode(query.text(MODE)),
        since,
        query.has(CollectionParams.PARTITION) ? CollectionParams.partition(query) : null,
        CollectionParams.range(query));
  }

  private static QueryParams query(RoutingContext context) {
    return QueryParams.of(
        context, SINCE, LIMIT, MODE, DETAILS, CollectionParams.PARTITION, CollectionParams.RANGE);
  }

  private static void page(RoutingContext context) {
    QueryParams query = query(context);
    String since = query.text(SINCE);
    ChangeFeedOptions options =
        options(
            query,
            since == null
                ? Versionstamp.ZERO // a page without a position begins with the first change
                : since.equals(NOW) ? null : Versionstamp.parse(since));
    boolean details = query.flag(DETAILS);
    int limit = (int) query.whole(LIMIT, CHANGES, 1, ChangePage.MAX_LIMIT);
    Outlet.write(
        context,
        new WholeSource(
            Math.min(MAX_PAGE_BYTES, limit * CHANGE_BYTES),
            collection(context)
                .changePage(options, limit)
                .map(
                    page ->
                        Responses.whole(page.continuation(), ItemChangeJson.of(page, details)))));
  }

  private void events(RoutingContext context) {
    QueryParams query = query(context);
    Events events =
        new Events(
            query.flag(DETAILS), query.whole(LIMIT, Long.MAX_VALUE, 1, ChangePage.MAX_LIMIT));
    String lastId = context.request().getHeader(EventStream.LAST_EVENT_ID);
    String text = lastId == null || lastId.isEmpty() ? query.text(SINCE) : lastId;
    Versionstamp requested = text == null || text.equals(NOW) ? null : Versionstamp.parse(text);
    ChangeFeedOptions options = options(query, requested);
    DocumentCollection<RowText> items = collection(context);
    Responses.when(
        context,
        EventStream.newest(RequestContext.of(context).kv()),
        newest ->
            EventStream.start(
                context,
                serverContext,
                newest,
                requested == null ? newest : requested,
                after ->
                    items
                        .changeFeed(options.withSince(Objects.requireNonNull(after)))
                        .concatMapIterable(events::of, 1)));
  }

  /**
   * The events of one stream, whose last one is {@code end} if the stream is limited. A stream that
   * is resumed gets the commits after its position again.
   */
  private static final class Events {
    private final boolean details;
    private long left;
    private Versionstamp counted = Versionstamp.ZERO;

    /**
     * Creates the events of a stream.
     *
     * @param left the number of changes after which the stream ends with the commit
     */
    Events(boolean details, long left) {
      this.details = details;
      this.left = left;
    }

    /** Returns the events of a commit. A client can resume after the last one. */
    List<EventStream.Event> of(ItemChanges<RowText> commit) {
      Versionstamp stamp = commit.versionstamp();
      if (commit.isBookmark()) {
        return List.of(EventStream.Event.bookmark(stamp));
      }
      List<EventStream.Event> events = new ArrayList<>();
      for (ItemChanges.Change<RowText> change : commit.changes()) {
        boolean last = events.size() == commit.changes().size() - 1;
        events.add(
            new EventStream.Event(
                "change",
                StrictJson.bytes(ItemChangeJson.of(commit, change, details)),
                last ? stamp : null));
      }
      if (left > 0 && stamp.compareTo(counted) > 0) {
        counted = stamp;
        left -= events.size();
      }
      if (left <= 0 && stamp.compareTo(counted) >= 0) {
        events.add(EventStream.Event.end(stamp));
      }
      return events;
    }
  }
}
