package io.kvreactive.web.internal.feed;

import io.kvreactive.ChangesOptions;
import io.kvreactive.Kv;
import io.kvreactive.KvRange;
import io.kvreactive.KvType;
import io.kvreactive.KvUpdate;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.web.internal.Site;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.Call;
import io.kvreactive.web.internal.http.Operations;
import io.kvreactive.web.internal.rest.Accepts;
import io.kvreactive.web.internal.rest.Json;
import io.kvreactive.web.internal.rest.Query;
import io.kvreactive.web.internal.rest.Ranges;
import io.kvreactive.web.internal.rest.Replies;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The change feed of a range, as a stream of events or by polls that wait. */
public final class FeedRoutes {
  static final String EVENTS = "text/event-stream";

  private static final String LAST_EVENT_ID = "Last-Event-ID";
  private static final String SINCE = "since";
  private static final String NOW = "now";
  private static final String LIST = "list";
  private static final String OLD_VALUES = "oldValues";
  private static final String WAIT = "waitMs";
  private static final String LIMIT = "limit";
  private static final long LONGEST_WAIT = 60_000;
  private static final int COMMITS = 100;
  private static final int MOST_COMMITS = 10_000;

  private final Site site;

  private FeedRoutes(Site site) {
    this.site = site;
  }

  /** Mounts them below a database's path. */
  public static void mount(Router router, Site site) {
    FeedRoutes feeds = new FeedRoutes(site);
    Operations.route(router, Operation.CHANGES).handler(feeds::changes);
  }

  private void changes(RoutingContext context) {
    if (Accepts.choose(context, Replies.JSON, EVENTS).equals(EVENTS)) {
      events(context);
    } else {
      poll(context);
    }
  }

  private static KvRange range(RoutingContext context, Query query) {
    return Ranges.authorized(context, Ranges.of(query));
  }

  private static ChangesOptions options(Query query) {
    return ChangesOptions.DEFAULT.withOldValues(query.flag(OLD_VALUES));
  }

  /** What a query or a header says to go on from; null for now. */
  private static @Nullable Versionstamp since(@Nullable String text) {
    return text == null || text.equals(NOW) ? null : Versionstamp.parse(text);
  }

  /** The newest version, on this context. */
  private static Mono<Versionstamp> newest(Kv kv) {
    return kv.engine().read(List.of(), null).map(read -> read.snapshot()).publishOn(Replies.here());
  }

  private void events(RoutingContext context) {
    Query query =
        Query.of(context, Ranges.PREFIX, Ranges.START, Ranges.END, SINCE, LIST, OLD_VALUES);
    KvRange range = range(context, query);
    ChangesOptions options = options(query);
    boolean list = query.flag(LIST);
    if (list && query.has(SINCE)) {
      throw Json.bad("since and list=true (expected: one of them)");
    }
    String lastId = context.request().getHeader(LAST_EVENT_ID);
    boolean resumed = lastId != null && !lastId.isEmpty(); // the browser's own word comes first
    Versionstamp asked = since(resumed ? lastId : query.text(SINCE));
    Kv kv = Call.of(context).kv();
    KvType<KvValue> type = KvType.of(KvValue.class);
    Replies.when(
        context,
        newest(kv),
        newest -> {
          EventStream stream = new EventStream(context, site, newest);
          if (list && !resumed) {
            stream.start(kv.listAndWatch(range, options, type), null);
          } else {
            Versionstamp since = asked == null ? newest : asked;
            Flux<KvUpdate<KvValue>> commits =
                kv.changes(range, since, options, type).map(KvUpdate.Committed::new);
            stream.start(commits, since);
          }
        });
  }

  private void poll(RoutingContext context) {
    Query query =
        Query.of(context, Ranges.PREFIX, Ranges.START, Ranges.END, SINCE, OLD_VALUES, WAIT, LIMIT);
    KvRange range = range(context, query);
    ChangesOptions options = options(query).withBookmarkInterval(Duration.ofSeconds(1));
    long wait = query.whole(WAIT, 0, 0, LONGEST_WAIT);
    int limit = (int) query.whole(LIMIT, COMMITS, 1, MOST_COMMITS);
    Versionstamp asked = since(query.text(SINCE));
    Kv kv = Call.of(context).kv();
    Replies.when(
        context,
        newest(kv),
        newest -> {
          Versionstamp since = asked == null ? newest : asked;
          LongPoll poll = new LongPoll(context, site, limit, since, newest);
          poll.start(kv.changes(range, since, options, KvType.of(KvValue.class)), wait);
        });
  }
}
