package io.kvreactive.web.internal.feed;

import io.kvreactive.Kv;
import io.kvreactive.Versionstamp;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.http.FailureHandler;
import io.kvreactive.web.internal.http.FluxSource;
import io.kvreactive.web.internal.http.Outlet;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.rest.DataWriter;
import io.kvreactive.web.internal.rest.Responses;
import io.kvreactive.web.internal.rest.StrictJson;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The source of a response of server-sent events. An event after which a client can resume has its
 * versionstamp as the event id, which browsers return as {@code Last-Event-ID}.
 *
 * <p>Nothing is written before the feed has started, so that a failure to start is answered with a
 * status. The event {@link Event#end} ends the stream. When the server stops or the store is
 * closed, the last event is {@code goingAway} with the position to resume from. While the caller
 * does not read, or there is no memory, the feed is cancelled and only its position is held.
 *
 * <p>Must be created and started on the request's event loop.
 */
public final class EventStream extends FluxSource {
  /** The media type of server-sent events. */
  public static final String EVENTS = "text/event-stream";

  /** The header with the position from which a reconnecting browser resumes. */
  public static final String LAST_EVENT_ID = "Last-Event-ID";

  private static final String END = "end";
  private static final Buffer HEARTBEAT = Buffer.buffer(":\n\n");

  /** The memory of what is read of a list, or ahead of a feed, and of the events made of it. */
  private static final long READ_BYTES = 512 << 10;

  private final RoutingContext context;
  private final StreamTimers timers;
  private final Versionstamp newest;
  private final @Nullable Versionstamp since;
  private final Function<@Nullable Versionstamp, Flux<Event>> feed;
  private boolean listing;
  private boolean behind = true; // listing, or reading what was committed before
  private @Nullable Outlet outlet;
  private boolean quiet;

  /**
   * An event.
   *
   * @param data JSON in UTF-8
   * @param id the version from which a client can resume after this event, or null
   */
  public record Event(String name, byte[] data, @Nullable Versionstamp id) {
    /** Returns the event that reports that everything up to a version has been sent. */
    public static Event bookmark(Versionstamp reached) {
      return new Event("bookmark", DataWriter.bytes(reached), reached);
    }

    /** Returns the event that ends a limited stream, from which a client can resume. */
    public static Event end(Versionstamp reached) {
      return new Event(END, DataWriter.bytes(reached), reached);
    }
  }

  /**
   * Starts a stream.
   *
   * @param newest the newest version at the time of the request
   * @param since the start of the feed; null if it begins with a list
   * @param feed returns the events after a position, or the list and the events after it
   */
  public static void start(
      RoutingContext context,
      ServerContext serverContext,
      Versionstamp newest,
      @Nullable Versionstamp since,
      Function<@Nullable Versionstamp, Flux<Event>> feed) {
    EventStream stream = new EventStream(context, serverContext, newest, since, feed);
    Outlet outlet = Outlet.write(context, stream);
    stream.outlet = outlet;
    Context here = Outlet.current();
    stream.timers.onDrain(() -> here.runOnContext(stopping -> outlet.fail(goingAway())));
    stream.timers.each(serverContext.options().heartbeat(), () -> stream.heartbeat(outlet));
  }

  private EventStream(
      RoutingContext context,
      ServerContext serverContext,
      Versionstamp newest,
      @Nullable Versionstamp since,
      Function<@Nullable Versionstamp, Flux<Event>> feed) {
    super(0, response -> setHeaders(response, newest));
    this.context = context;
    this.timers = new StreamTimers(serverContext);
    this.newest = newest;
    this.since = since;
    this.feed = feed;
    this.listing = since == null;
  }

  private static void setHeaders(HttpServerResponse response, Versionstamp newest) {
    response
        .putHeader("Content-Type", EVENTS)
        .putHeader("Cache-Control", "no-store")
        .putHeader("X-Accel-Buffering", "no")
        .putHeader(Responses.VERSIONSTAMP, newest.toString());
  }

  /** Emits the newest version, on the context of the current request. */
  public static Mono<Versionstamp> newest(Kv kv) {
    return kv.engine().read(List.of(), null).map(ReadResult::snapshot).publishOn(Responses.here());
  }

  // ---- reading

  /**
   * A feed that has caught up rests until others write, and its events take memory when they
   * arrive.
   */
  @Override
  public long standingBytes() {
    return behind ? READ_BYTES : 0;
  }

  @Override
  protected void quiet() {
    if (!listing && outlet != null) {
      behind = false;
      outlet.returnStanding();
    }
  }

  @Override
  protected Flux<Element> elements(@Nullable Versionstamp after) {
    Flux<Event> events =
        feed.apply(after == null ? since : after)
            .concatWith(Mono.error(EventStream::goingAway)); // the store is closed
    if (after == null && newest.equals(since)) {
      events = events.startWith(Event.bookmark(newest));
    }
    boolean lists = after == null && since == null; // then each event is complete
    return events
        .takeUntil(event -> event.name().equals(END))
        .map(event -> new Element(text(event), event.id(), lists || event.id() != null));
  }

  private static WebException goingAway() {
    return new WebException(WebErrorCode.GOING_AWAY, "the server is stopping");
  }

  @Override
  public void accepted() {
    super.accepted();
    quiet = false;
    listing = listing && position() == null;
  }

  @Override
  public boolean rewind() {
    if (listing) {
      return false; // a list has no position
    }
    restart();
    behind = true; // from the next read on
    return true;
  }

  @Override
  public boolean rest() {
    return !done() && rewind();
  }

  // ---- writing

  private static Buffer text(Event event) {
    Buffer text = Buffer.buffer();
    if (event.id() != null) {
      line(text, "id: " + event.id());
    }
    return data(text, event.name(), event.data());
  }

  private static Buffer data(Buffer text, String name, byte[] data) {
    line(text, "event: " + name);
    return text.appendString("data: ").appendBytes(data).appendString("\n\n");
  }

  private static void line(Buffer text, String line) {
    text.appendBytes(line.getBytes(StandardCharsets.US_ASCII)).appendByte((byte) '\n');
  }

  private void heartbeat(Outlet outlet) {
    if (quiet) {
      outlet.interject(HEARTBEAT.copy(), false);
    }
    quiet = true;
  }

  @Override
  public @Nullable Buffer lastWords(Throwable failure, boolean begun) {
    if (!begun) {
      return null;
    }
    Buffer text = Buffer.buffer();
    if (failure instanceof WebException e && e.code() == WebErrorCode.GOING_AWAY) {
      long retry =
          ThreadLocalRandom.current().nextLong(500, 2500); // spreads the reconnections of clients
      line(text, "retry: " + retry);
      Versionstamp from = position() == null ? since : position();
      return data(
          text,
          "goingAway",
          StrictJson.bytes(
              StrictJson.object()
                  .put("retryAfterMs", retry)
                  .put("resume", from == null ? null : from.toString())));
    }
    return data(
        text,
        "error",
        StrictJson.bytes(
            FailureHandler.problem(context, failure)
                .toJson(RequestContext.of(context).requestId())));
  }

  @Override
  public void close() {
    timers.close();
    super.close();
  }
}
