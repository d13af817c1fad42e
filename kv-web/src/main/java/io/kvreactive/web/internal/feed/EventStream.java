package io.kvreactive.web.internal.feed;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Kv;
import io.kvreactive.Versionstamp;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.http.FailureHandler;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.rest.Responses;
import io.kvreactive.web.internal.rest.StrictJson;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Writes a feed as server-sent events. An event after which a client can resume has its
 * versionstamp as the event id, which browsers return as {@code Last-Event-ID}.
 *
 * <p>Updates are requested one by one while the connection accepts output. A caller that does not
 * read costs the connection's buffer, one buffer of this stream and one commit. Nothing is written
 * before the feed has started, so that a failure to start is answered with a status. The event
 * {@link Event#end} ends the stream. When the server stops or the store is closed, the last event
 * is {@code goingAway} with the position to resume from.
 *
 * <p>Must be created, started and signalled on the request's event loop.
 */
public final class EventStream extends BaseSubscriber<EventStream.Event> {
  /** The media type of server-sent events. */
  public static final String EVENTS = "text/event-stream";

  /** The header with the position from which a reconnecting browser resumes. */
  public static final String LAST_EVENT_ID = "Last-Event-ID";

  private static final String END = "end";
  private static final int BUFFER_BYTES = 32 << 10;
  private static final Buffer HEARTBEAT = Buffer.buffer(":\n\n");

  private final RoutingContext context;
  private final HttpServerResponse response;
  private final ServerContext serverContext;
  private final Context here;
  private final Versionstamp newest;
  private final StreamTimers timers;
  private Buffer pending = Buffer.buffer();
  private boolean opened;
  private boolean flushing;
  private boolean quiet;
  private boolean ended;
  private @Nullable Versionstamp resume;

  /**
   * An event.
   *
   * @param id the version from which a client can resume after this event, or null
   */
  public record Event(String name, JsonNode data, @Nullable Versionstamp id) {
    /** Returns the event that reports that everything up to a version has been sent. */
    public static Event bookmark(Versionstamp reached) {
      return new Event("bookmark", ChangeJson.stamp(reached), reached);
    }

    /** Returns the event that ends a limited stream, from which a client can resume. */
    public static Event end(Versionstamp reached) {
      return new Event(END, ChangeJson.stamp(reached), reached);
    }
  }

  /** Emits the newest version, on the context of the current request. */
  public static Mono<Versionstamp> newest(Kv kv) {
    return kv.engine().read(List.of(), null).map(ReadResult::snapshot).publishOn(Responses.here());
  }

  /**
   * Creates a stream.
   *
   * @param newest the newest version at the time of the request
   */
  public EventStream(RoutingContext context, ServerContext serverContext, Versionstamp newest) {
    this.context = context;
    this.response = context.response();
    this.serverContext = serverContext;
    this.here = serverContext.vertx().getOrCreateContext();
    this.newest = newest;
    this.timers = new StreamTimers(serverContext);
  }

  /**
   * Starts the stream.
   *
   * @param events the feed, which must emit on the current Vert.x context
   * @param since the start of the feed; null if it begins with a list
   */
  public void start(Flux<Event> events, @Nullable Versionstamp since) {
    context.addEndHandler(over -> close()); // also runs if the caller disconnects
    if (newest.equals(since)) {
      open();
      event(Event.bookmark(newest));
    }
    events.subscribe(this);
    timers.onDrain(() -> here.runOnContext(ignored -> goAway()));
    timers.onExpiry(RequestContext.of(context).grant(), this::expire);
    timers.each(serverContext.options().heartbeat(), this::heartbeat);
  }

  @Override
  protected void hookOnSubscribe(Subscription subscription) {
    request(1);
  }

  @Override
  protected void hookOnNext(Event event) {
    if (ended) {
      return;
    }
    open();
    event(event);
    if (event.name().equals(END)) {
      end();
    } else {
      more();
    }
  }

  /** Requests the next update, immediately or when the connection accepts more. */
  private void more() {
    if (pending.length() >= BUFFER_BYTES) {
      flush();
    }
    if (ended) {
      return;
    }
    if (response.writeQueueFull()) {
      response.drainHandler(drained -> request(1));
    } else if (flushing) { // the buffer of this stream has room
      request(1);
    } else { // in a later task: other tasks run, and a closed connection is detected
      here.runOnContext(turn -> request(1));
    }
  }

  private void open() {
    if (!opened) {
      opened = true;
      response
          .setChunked(true)
          .putHeader("Content-Type", EVENTS)
          .putHeader("Cache-Control", "no-store")
          .putHeader("X-Accel-Buffering", "no");
      Responses.stamp(context, newest);
    }
  }

  private void event(Event event) {
    if (event.id() != null) {
      resume = event.id();
      line("id: " + event.id());
    }
    line("event: " + event.name());
    pending.appendString("data: ").appendBytes(StrictJson.bytes(event.data())).appendString("\n\n");
    if (!flushing) { // writes all events of this task together
      flushing = true;
      here.runOnContext(ignored -> flush());
    }
  }

  private void line(String text) {
    pending.appendBytes(text.getBytes(StandardCharsets.US_ASCII)).appendByte((byte) '\n');
  }

  private void flush() {
    flushing = false;
    if (pending.length() > 0 && !response.closed() && !response.ended()) {
      Buffer full = pending;
      pending = Buffer.buffer();
      quiet = false;
      response.write(full);
    }
  }

  private void heartbeat() {
    if (opened && quiet && !ended && !response.closed() && !response.writeQueueFull()) {
      response.write(HEARTBEAT);
    }
    quiet = true;
  }

  private void goAway() {
    if (ended) {
      return;
    }
    if (!opened) {
      fail(new WebException(WebErrorCode.GOING_AWAY, "the server is stopping"));
      return;
    }
    long retry =
        ThreadLocalRandom.current().nextLong(500, 2500); // spreads the reconnections of clients
    line("retry: " + retry);
    event(
        new Event(
            "goingAway",
            StrictJson.object().put("retryAfterMs", retry).put("resume", text(resume)),
            null));
    end();
  }

  private static @Nullable String text(@Nullable Versionstamp versionstamp) {
    return versionstamp == null ? null : versionstamp.toString();
  }

  private void expire() {
    hookOnError(
        new WebException(WebErrorCode.UNAUTHENTICATED, "the token has expired or was revoked"));
  }

  @Override
  protected void hookOnError(Throwable failure) {
    if (ended) {
      return;
    }
    if (!opened) {
      fail(failure);
      return;
    }
    event(
        new Event(
            "error",
            FailureHandler.problem(context, failure).toJson(RequestContext.of(context).requestId()),
            null));
    end();
  }

  @Override
  protected void hookOnComplete() { // the store is closed
    goAway();
  }

  private void fail(Throwable failure) {
    close();
    context.fail(failure);
  }

  private void end() {
    flush();
    close();
    if (!response.closed()) {
      response.end();
    }
  }

  private void close() {
    ended = true;
    timers.close();
    cancel();
  }
}
