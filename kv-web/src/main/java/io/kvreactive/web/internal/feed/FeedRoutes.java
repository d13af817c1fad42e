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
import io.kvreactive.web.internal.http.Outlet;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.rest.ContentNegotiation;
import io.kvreactive.web.internal.rest.DataWriter;
import io.kvreactive.web.internal.rest.QueryParams;
import io.kvreactive.web.internal.rest.RangeParams;
import io.kvreactive.web.internal.rest.Responses;
import io.kvreactive.web.internal.rest.StrictJson;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/** Routes of the change feed of a range: server-sent events and long polling. */
public final class FeedRoutes {
  private static final String SINCE = "since";
  private static final String NOW = "now";
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

  /**
   * Returns the position of a query or a header from which the feed starts; null for the newest
   * version.
   */
  private static @Nullable Versionstamp since(@Nullable String text) {
    return text == null || text.equals(NOW) ? null : Versionstamp.parse(text);
  }

  private void events(RoutingContext context) {
    QueryParams query =
        QueryParams.of(
            context,
            RangeParams.PREFIX,
            RangeParams.START,
            RangeParams.END,
            SINCE,
            LIST,
            OLD_VALUES);
    KvRange range = range(context, query);
    ChangesOptions options = options(query);
    boolean list = query.flag(LIST);
    if (list && query.has(SINCE)) {
      throw StrictJson.bad("since and list=true (expected: one of them)");
    }
    String lastId = context.request().getHeader(EventStream.LAST_EVENT_ID);
    boolean resumed =
        lastId != null
            && !lastId.isEmpty(); // the header of a reconnecting browser takes precedence
    Versionstamp requested = since(resumed ? lastId : query.text(SINCE));
    Kv kv = RequestContext.of(context).kv();
    KvType<KvValue> type = KvType.of(KvValue.class);
    Responses.when(
        context,
        EventStream.newest(kv),
        newest ->
            EventStream.start(
                context,
                serverContext,
                newest,
                list && !resumed ? null : requested == null ? newest : requested,
                after ->
                    after == null
                        ? events(kv.listAndWatch(range, options, type), false)
                        : events(
                            kv.changes(range, after, options, type).map(KvUpdate.Committed::new),
                            true)));
  }

  /**
   * Returns the events of updates.
   *
   * @param isListed false for a feed that begins with a list, which can be resumed only after its
   *     end
   */
  private static Flux<EventStream.Event> events(Flux<KvUpdate<KvValue>> updates, boolean isListed) {
    AtomicBoolean listed = new AtomicBoolean(isListed);
    return updates.map(update -> event(update, listed));
  }

  private static EventStream.Event event(KvUpdate<KvValue> update, AtomicBoolean listed) {
    if (update instanceof KvUpdate.Listed<KvValue> entry) {
      return new EventStream.Event("entry", DataWriter.bytes(entry.entry()), null);
    }
    if (update instanceof KvUpdate.Synced<KvValue> synced) {
      listed.setPlain(true);
      Versionstamp at = synced.versionstamp();
      return new EventStream.Event("listed", DataWriter.bytes(at), at);
    }
    KvCommit<KvValue> commit = ((KvUpdate.Committed<KvValue>) update).commit();
    Versionstamp id = listed.getPlain() ? commit.versionstamp() : null;
    return commit.isBookmark()
        ? new EventStream.Event("bookmark", DataWriter.bytes(commit.versionstamp()), id)
        : new EventStream.Event("commit", DataWriter.bytes(commit), id);
  }

  private void poll(RoutingContext context) {
    QueryParams query =
        QueryParams.of(
            context,
            RangeParams.PREFIX,
            RangeParams.START,
            RangeParams.END,
            SINCE,
            OLD_VALUES,
            WAIT,
            LIMIT);
    KvRange range = range(context, query);
    ChangesOptions options = options(query).withBookmarkInterval(Duration.ofSeconds(1));
    long wait = query.whole(WAIT, 0, 0, MAX_WAIT_MILLIS);
    int limit = (int) query.whole(LIMIT, COMMITS, 1, MAX_COMMITS);
    Versionstamp requested = since(query.text(SINCE));
    Kv kv = RequestContext.of(context).kv();
    Responses.when(
        context,
        EventStream.newest(kv),
        newest -> {
          Versionstamp since = requested == null ? newest : requested;
          Outlet.write(
              context,
              new LongPoll(
                  serverContext,
                  kv.changes(range, since, options, KvType.of(KvValue.class)),
                  limit,
                  since,
                  newest,
                  wait));
        });
  }
}
