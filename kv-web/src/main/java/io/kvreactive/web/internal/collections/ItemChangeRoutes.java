package io.kvreactive.web.internal.collections;

import com.fasterxml.jackson.databind.node.TextNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.ChangeFeedOptions;
import io.kvreactive.documents.ChangePage;
import io.kvreactive.documents.ItemChanges;
import io.kvreactive.protocol.ItemMessages;
import io.kvreactive.protocol.ItemMessages.CommittedChange;
import io.kvreactive.protocol.RequestMessages;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.feed.EventStream;
import io.kvreactive.web.internal.feed.Feed;
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

/** The route of a collection's change feed: pages, or server-sent events. */
final class ItemChangeRoutes {
  private static final String SINCE = "since";
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

  private static ChangeFeedOptions options(QueryParams query, @Nullable Versionstamp since) {
    return new ChangeFeedOptions(
        mode(query.text(MODE)),
        since,
        query.has(CollectionParams.PARTITION) ? CollectionParams.partition(query) : null,
        CollectionParams.range(query));
  }

  private static ChangeFeedOptions.Mode mode(@Nullable String text) {
    return text == null
        ? ChangeFeedOptions.Mode.LATEST
        : StrictJson.read(TextNode.valueOf(text), MODE, RequestMessages.MODE);
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
                : EventStream.since(since));
    boolean details = query.flag(DETAILS);
    int limit = (int) query.whole(LIMIT, CHANGES, 1, ChangePage.MAX_LIMIT);
    Outlet.write(
        context,
        new WholeSource(
            Math.min(MAX_PAGE_BYTES, limit * CHANGE_BYTES),
            CollectionParams.collection(context, RowText.class)
                .changePage(options, limit)
                .map(
                    page ->
                        Responses.whole(
                            page.continuation(),
                            ServerMessages.TEXTS.changePage.write(
                                ItemMessages.Page.of(page, details))))));
  }

  private void events(RoutingContext context) {
    QueryParams query = query(context);
    Events events =
        new Events(
            query.flag(DETAILS), query.whole(LIMIT, Long.MAX_VALUE, 1, ChangePage.MAX_LIMIT));
    String lastId = EventStream.lastEventId(context);
    Versionstamp requested = EventStream.since(lastId == null ? query.text(SINCE) : lastId);
    Feed<ItemChanges<RowText>> feed =
        Feed.items(
            CollectionParams.collection(context, RowText.class),
            options(query, requested),
            item -> item.json().length());
    Responses.when(
        context,
        Feed.newest(RequestContext.of(context).kv()).publishOn(Responses.here()),
        newest ->
            EventStream.start(
                context,
                serverContext,
                newest,
                requested == null ? newest : requested,
                feed,
                events));
  }

  /**
   * The events of one stream, whose last one is {@code end} if the stream is limited. A stream that
   * is resumed gets the commits after its position again.
   */
  private static final class Events implements EventStream.Encoder<ItemChanges<RowText>> {
    private final boolean details;
    private long left;
    private Versionstamp counted = Versionstamp.ZERO;
    private boolean isOver;

    /**
     * Creates the events of a stream.
     *
     * @param left the number of changes after which the stream ends with the commit
     */
    Events(boolean details, long left) {
      this.details = details;
      this.left = left;
    }

    @Override
    public Buffer events(Feed.Update<ItemChanges<RowText>> update) {
      ItemChanges<RowText> commit = update.value();
      Versionstamp stamp = commit.versionstamp();
      if (commit.isBookmark()) {
        isOver = false;
        return EventStream.bookmark(stamp);
      }
      Buffer events = Buffer.buffer();
      int count = commit.changes().size();
      int written = 0;
      for (CommittedChange<RowText> change : ItemMessages.changesOf(commit, details)) {
        byte[] json = StrictJson.bytes(ServerMessages.TEXTS.change.write(change));
        events.appendBuffer(EventStream.event("change", json, ++written == count ? stamp : null));
      }
      if (left > 0 && stamp.compareTo(counted) > 0) {
        counted = stamp;
        left -= count;
      }
      isOver = left <= 0 && stamp.compareTo(counted) >= 0;
      return isOver ? events.appendBuffer(EventStream.position("end", stamp, stamp)) : events;
    }

    @Override
    public boolean isOver() {
      return isOver;
    }
  }
}
