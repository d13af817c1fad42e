package io.kvreactive.web.internal.feed;

import io.kvreactive.ChangesOptions;
import io.kvreactive.Kv;
import io.kvreactive.KvCommit;
import io.kvreactive.KvRange;
import io.kvreactive.KvType;
import io.kvreactive.KvUpdate;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.OperationHandlers;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.rest.ContentNegotiation;
import io.kvreactive.web.internal.rest.DataWriter;
import io.kvreactive.web.internal.rest.QueryParams;
import io.kvreactive.web.internal.rest.RangeParams;
import io.kvreactive.web.internal.rest.Responses;
import io.kvreactive.web.internal.rest.StrictJson;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;

/** Routes of the change feed of a range: server-sent events and long polling. */
public final class FeedRoutes {
  private static final String SINCE = "since";
  private static final String LIST = "list";
  private static final String OLD_VALUES = "oldValues";
  private static final String WAIT = "waitMs";
  private static final String LIMIT = "limit";
  private static final long MAX_WAIT_MILLIS = 60_000;
  private static final int COMMITS = 100;
  private static final int MAX_COMMITS = 10_000;

  private final ServerContext serverContext;

  private FeedRoutes(ServerContext serverContext) {
    this.serverContext = serverContext;
  }

  /** Sets the handler. */
  public static void mount(OperationHandlers handlers, ServerContext serverContext) {
    handlers.on(Operation.CHANGES, new FeedRoutes(serverContext)::changes);
  }

  private void changes(RoutingContext context) {
    if (ContentNegotiation.choose(context, Responses.JSON, EventStream.EVENTS)
        .equals(EventStream.EVENTS)) {
      events(context);
    } else {
      poll(context);
    }
  }

  private static KvRange range(RoutingContext context, QueryParams query) {
    return RangeParams.authorized(context, RangeParams.of(query));
  }

  private static ChangesOptions options(QueryParams query) {
    return ChangesOptions.DEFAULT.withOldValues(query.flag(OLD_VALUES));
  }

  private void events(RoutingContext context) {
    QueryParams query = RangeParams.query(context, SINCE, LIST, OLD_VALUES);
    KvRange range = range(context, query);
    ChangesOptions options = options(query);
    boolean list = query.flag(LIST);
    if (list && query.has(SINCE)) {
      throw StrictJson.bad("since and list=true (expected: one of them)");
    }
    String lastId = EventStream.lastEventId(context); // takes precedence
    Versionstamp requested = EventStream.since(lastId == null ? query.text(SINCE) : lastId);
    Kv kv = RequestContext.of(context).kv();
    Responses.when(
        context,
        Feed.newest(kv).publishOn(Responses.here()),
        newest ->
            EventStream.start(
                context,
                serverContext,
                newest,
                list && lastId == null ? null : requested == null ? newest : requested,
                Feed.range(kv, range, options),
                FeedRoutes::event));
  }

  private static Buffer event(Feed.Update<KvUpdate<KvValue>> update) {
    Versionstamp id = update.position();
    if (update.value() instanceof KvUpdate.Listed<KvValue> listed) {
      return EventStream.event("entry", DataWriter.bytes(listed.entry()), id);
    } else if (update.value() instanceof KvUpdate.Synced<KvValue> synced) {
      return EventStream.position("listed", synced.versionstamp(), id);
    }
    KvCommit<KvValue> commit = ((KvUpdate.Committed<KvValue>) update.value()).commit();
    return commit.isBookmark()
        ? EventStream.position("bookmark", commit.versionstamp(), id)
        : EventStream.event("commit", DataWriter.bytes(commit), id);
  }

  private void poll(RoutingContext context) {
    QueryParams query = RangeParams.query(context, SINCE, OLD_VALUES, WAIT, LIMIT);
    KvRange range = range(context, query);
    ChangesOptions options = options(query).withBookmarkInterval(Duration.ofSeconds(1));
    long wait = query.whole(WAIT, 0, 0, MAX_WAIT_MILLIS);
    int limit = (int) query.whole(LIMIT, COMMITS, 1, MAX_COMMITS);
    Versionstamp requested = EventStream.since(query.text(SINCE));
    Kv kv = RequestContext.of(context).kv();
    Responses.when(
        context,
        Feed.newest(kv).publishOn(Responses.here()),
        newest -> {
          Versionstamp since = requested == null ? newest : requested;
          LongPoll.start(
              context,
              serverContext,
              kv.changes(range, since, options, KvType.of(KvValue.class)),
              limit,
              since,
              newest,
              wait);
        });
  }
}
