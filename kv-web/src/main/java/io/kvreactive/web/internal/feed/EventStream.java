package io.kvreactive.web.internal.feed;

import io.kvreactive.Versionstamp;
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
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The source of a response of server-sent events. An event after which a client can resume has its
 * versionstamp as the event id, which browsers return as {@code Last-Event-ID}.
 *
 * <p>Nothing is written before the feed has started, so that a failure to start is answered with a
 * status. When the server stops or the store is closed, the last event is {@code goingAway} with
 * the position to resume from. While the caller does not read, or there is no memory, the feed is
 * cancelled and only its position is held.
 *
 * @param <E> an update of the feed
 */
public final class EventStream<E> extends FluxSource {
  /** The media type of server-sent events. */
  public static final String EVENTS = "text/event-stream";

  private static final String LAST_EVENT_ID = "Last-Event-ID";
  private static final String NOW = "now";
  private static final Buffer HEARTBEAT = Buffer.buffer(":\n\n");

  /** The memory of what is read of a list, or ahead of a feed, and of the events made of it. */
  private static final long READ_BYTES = 512 << 10;

  private final RoutingContext context;
  private final Versionstamp newest;
  private final @Nullable Versionstamp since;
  private final Feed<E> feed;
  private final Encoder<E> encoder;
  private boolean listing;
  private boolean behind = true; // listing, or reading what was committed before
  private @Nullable Outlet outlet;
  private boolean quiet;

  /** Writes the updates of one stream as events. */
  public interface Encoder<E> {
    /** Returns the events of an update. The last one has its position as the id. */
    Buffer events(Feed.Update<E> update);

    /** Returns true if the stream ends with the update that was encoded last. */
    default boolean isOver() {
      return false;
    }
  }

  /** Returns the position to which a reconnecting browser refers; null if it has none. */
  public static @Nullable String lastEventId(RoutingContext context) {
    String id = context.request().getHeader(LAST_EVENT_ID);
    return id == null || id.isEmpty() ? null : id;
  }

  /** Parses the position from which a feed starts; returns null for the newest version. */
  public static @Nullable Versionstamp since(@Nullable String text) {
    return text == null || text.equals(NOW) ? null : Versionstamp.parse(text);
  }

  /**
   * Starts a stream. Must be called on the request's event loop.
   *
   * @param newest the newest version at the time of the request
   * @param since the start of the feed; null if it begins with a list
   */
  public static <E> void start(
      RoutingContext context,
      ServerContext serverContext,
      Versionstamp newest,
      @Nullable Versionstamp since,
      Feed<E> feed,
      Encoder<E> encoder) {
    EventStream<E> stream = new EventStream<>(context, newest, since, feed, encoder);
    Outlet outlet = Outlet.write(context, stream);
    stream.outlet = outlet;
    outlet.onDrain(serverContext.lifecycle(), () -> outlet.fail(Outlet.goingAway()));
    outlet.each(serverContext.options().heartbeat(), () -> stream.heartbeat(outlet));
  }

  private EventStream(
      RoutingContext context,
      Versionstamp newest,
      @Nullable Versionstamp since,
      Feed<E> feed,
      Encoder<E> encoder) {
    super(PART_BYTES, 0, response -> setHeaders(response, newest));
    this.context = context;
    this.newest = newest;
    this.since = since;
    this.feed = feed;
    this.encoder = encoder;
    this.listing = since == null;
  }

  private static void setHeaders(HttpServerResponse response, Versionstamp newest) {
    Responses.setType(response, EVENTS)
        .putHeader("X-Accel-Buffering", "no")
        .putHeader(Responses.VERSIONSTAMP, newest.toString());
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
    Flux<Element> elements =
        feed.after(after == null ? since : after)
            .map(update -> new Element(encoder.events(update), update.position()))
            .concatWith(Mono.error(Outlet::goingAway)) // the store is closed
            .takeUntil(element -> encoder.isOver());
    return after == null && newest.equals(since)
        ? elements.startWith(new Element(bookmark(newest), newest))
        : elements;
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

  /**
   * Returns an event.
   *
   * @param data JSON in UTF-8
   * @param id the version from which a client can resume after this event, or null
   */
  public static Buffer event(String name, byte[] data, @Nullable Versionstamp id) {
    Buffer text = Buffer.buffer();
    if (id != null) {
      line(text, "id: " + id);
    }
    return data(text, name, data);
  }

  /** Returns an event whose data is the version from which a client can resume after it. */
  public static Buffer position(String name, Versionstamp reached, @Nullable Versionstamp id) {
    return event(name, DataWriter.bytes(reached), id);
  }

  /** Returns the event that reports that everything up to a version has been sent. */
  public static Buffer bookmark(Versionstamp reached) {
    return position("bookmark", reached, reached);
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
}
