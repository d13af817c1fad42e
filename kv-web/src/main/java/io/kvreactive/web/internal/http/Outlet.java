package io.kvreactive.web.internal.http;

import io.kvreactive.internal.shared.CancellableSubscriber;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.auth.GrantExpiration;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * Writes the body of a response from parts, which are read one at a time. Memory for a part is
 * reserved before it is read, within the share of the caller: if there is none for the first part,
 * the request fails with OVERLOADED; later the response waits. A part is read when the connection
 * accepts more output, and encoded as the connection accepts it. Thus a caller who does not read
 * costs one part and what the connection holds, and a response that waits only costs its source.
 *
 * <p>Ends early if the caller disconnects, and with UNAUTHENTICATED when its token ends. If the
 * source fails before anything was written, the request fails; otherwise the stream is reset, so
 * that the caller notices the failure. The source is closed in each case.
 */
public final class Outlet {
  private static final int MAX_TASK_BYTES = 128 << 10;

  /**
   * Bytes that were written and not accepted by the connection, above which no more are written.
   * Vert.x may say later that its queue is full: over HTTP/1.1, unless it is in strict thread mode,
   * after 16 more writes of any size.
   */
  private static final long MAX_WAITING_BYTES = 64 << 10;

  /** Maximum size in bytes of what is encoded of a part of smaller buffers, and not accepted. */
  private static final long MAX_ENCODED_BYTES = MAX_WAITING_BYTES + (32 << 10);

  /** The source of a body. Calls do not overlap. */
  public interface Source {
    /**
     * Returns the maximum size in bytes of the next part in memory, which is reserved before {@link
     * #next}. Called on the event loop of the request.
     */
    long nextBytes();

    /**
     * Returns the memory in bytes that the source holds besides parts, now or from the next read
     * on. It is reserved together with the next part, because a response that waits for memory must
     * hold none that others wait for. Called on the event loop.
     */
    default long standingBytes() {
      return 0;
    }

    /**
     * Reads the next part, which may be empty. Emits on any thread. Subscribed to on the event loop
     * of the request.
     *
     * @param memory the memory of the response, for a source that reads more than it reserved
     */
    Mono<Part> next(ByteBudget.Share memory);

    /** Returns true if the last part was emitted. Called after each part, on the event loop. */
    boolean done();

    /**
     * Sets the headers of the response. Called on the event loop after the first part was emitted,
     * and before it is encoded.
     */
    default void setHeaders(HttpServerResponse response) {}

    /**
     * Called on the event loop when the connection accepts no more output. A source that can
     * continue at a position may release everything else until the next read.
     *
     * @return true if the source holds no standing memory now
     */
    default boolean rest() {
      return false;
    }

    /** Called on the event loop when a part was accepted, before it is encoded. */
    default void accepted() {}

    /**
     * Forgets the part that was emitted last, because there is no memory for it, and reads it again
     * at the next call of {@link #next}. Called on the event loop.
     *
     * @return false if the source cannot do that: the part is accepted if it is not the first one
     */
    default boolean rewind() {
      return false;
    }

    /**
     * Returns what ends the body when it fails, or null if the response is to be reset, or answered
     * with the failure if nothing was written.
     *
     * @param begun true if the head was written
     */
    default @Nullable Buffer lastWords(Throwable failure, boolean begun) {
      return null;
    }

    /** Releases what the source holds. Called once, on the event loop. */
    default void close() {}
  }

  /**
   * A part of a body.
   *
   * @param bytes its size in memory until it is encoded
   * @param buffers encodes it, in buffers of about 32 KiB; called on the event loop of the request
   */
  public record Part(long bytes, Iterator<Buffer> buffers) {}

  private final RoutingContext context;
  private final HttpServerResponse response;
  private final Source source;
  private final Context here = current();
  private final ByteBudget.Share memory;
  private final List<Runnable> endings = new ArrayList<>(1); // run once, at the end
  private boolean tokenWatched; // once more than one part is waited for
  private long reserved; // for the part that is read or written
  private long standing;
  private Future<Void> lastWrite = Future.succeededFuture();
  private long waitingBytes; // written, and not accepted
  private boolean full; // until half of the waiting bytes are accepted
  private Iterator<Buffer> part = Collections.emptyIterator();
  private @Nullable Disposable reading;
  private boolean begun; // the headers are set
  private boolean over;

  private Outlet(RoutingContext context, Source source) {
    this.context = context;
    this.response = context.response();
    this.source = source;
    this.memory = RequestContext.of(context).answerMemory();
  }

  /** Starts writing a body. Must be called on the request's event loop. */
  public static Outlet write(RoutingContext context, Source source) {
    Outlet outlet = new Outlet(context, source);
    context.addEndHandler(ended -> outlet.ended());
    outlet.begin();
    return outlet;
  }

  /**
   * Returns the current Vert.x context.
   *
   * @throws IllegalStateException on other threads
   */
  public static Context current() {
    Context current = Vertx.currentContext();
    if (current == null) {
      throw new IllegalStateException("not on a Vert.x context");
    }
    return current;
  }

  /** Runs a task when the server stops, unless the response has ended. */
  public void onDrain(Lifecycle lifecycle, Runnable task) {
    atEnd(lifecycle.register(() -> onLoop(task)));
  }

  /** Runs a task once, after a delay of at least 1 ms, unless the response has ended. */
  public void after(long millis, Runnable task) {
    long timer = context.vertx().setTimer(Math.max(1, millis), fired -> step(task));
    atEnd(() -> context.vertx().cancelTimer(timer));
  }

  /** Runs a task at an interval of at least 1 ms until the response ends. */
  public void each(Duration interval, Runnable task) {
    long timer = context.vertx().setPeriodic(Math.max(1, interval.toMillis()), fired -> step(task));
    atEnd(() -> context.vertx().cancelTimer(timer));
  }

  private void atEnd(Runnable ending) {
    if (over) {
      ending.run();
    } else {
      endings.add(ending);
    }
  }

  /** Returns the failure that ends a stream when the server stops, or its store is closed. */
  public static WebException goingAway() {
    return new WebException(WebErrorCode.GOING_AWAY, "the server is stopping");
  }

  private void begin() {
    try {
      reserved = cost(source.nextBytes());
      standing = source.standingBytes();
      memory.take(reserved + standing);
      if (reserved == 0) { // the first part may come late
        watchToken();
      }
      read();
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  /**
   * Returns the memory of a part while it is encoded: what of it waits in the connection is added.
   */
  private static long cost(long bytes) {
    return bytes + Math.min(bytes, MAX_ENCODED_BYTES);
  }

  /** Waits until there is memory for the next part, and reads it. */
  private void reserve(long bytes) {
    reserved = bytes;
    long before = standing;
    standing = Math.max(standing, source.standingBytes());
    long needed = reserved + standing - before;
    if (needed > 0) {
      memory.takeWhenFree(needed, () -> onLoop(this::read));
    } else {
      read();
    }
  }

  /** Returns memory to the budget after {@link Source#standingBytes} has become less. */
  public void returnStanding() {
    long less = Math.max(0, standing - source.standingBytes());
    standing -= less;
    memory.give(less);
  }

  private void read() {
    reading =
        CancellableSubscriber.receive(
            source.next(memory).contextWrite(RequestContext.of(context).trace()::context),
            next -> {
              boolean hasMemory = settle(next);
              onLoop(() -> arrived(next, hasMemory));
            },
            failure -> onLoop(() -> fail(failure)));
  }

  private void onLoop(Runnable step) {
    here.runOnContext(turn -> step(step));
  }

  private void step(Runnable step) {
    if (!over) {
      try {
        step.run();
      } catch (RuntimeException e) {
        fail(e);
      }
    }
  }

  /**
   * Adjusts the reservation to a part, on any thread. Returns false if there is no memory for it.
   */
  private boolean settle(Part next) {
    long needed = cost(next.bytes());
    if (needed > reserved && !memory.tryTake(needed - reserved)) {
      return false;
    }
    memory.give(Math.max(0, reserved - needed));
    reserved = needed;
    return true;
  }

  private void arrived(Part next, boolean hasMemory) {
    reading = null;
    if (!hasMemory) {
      long needed = cost(next.bytes());
      if (begun && source.rewind()) {
        memory.give(reserved + standing);
        standing = 0;
        reserve(needed);
        return;
      }
      if (begun) {
        memory.add(needed - reserved); // a source that cannot limit its reads: a remote store
      } else {
        memory.take(needed - reserved); // usually fails
      }
      reserved = needed;
    }
    source.accepted();
    part = next.buffers();
    if (!source.done()) {
      watchToken();
    }
    open();
    write();
  }

  private void open() {
    if (!begun) {
      begun = true;
      source.setHeaders(response);
    }
  }

  /**
   * Writes a few bytes between two parts, unless earlier ones were not accepted yet.
   *
   * @param opens true to begin the response if no part has arrived
   */
  public void interject(Buffer few, boolean opens) {
    if (!over && (begun || opens) && waitingBytes == 0) {
      open();
      send(few);
    }
  }

  private void write() {
    int bytes = 0;
    while (part.hasNext()) {
      Buffer next = part.next();
      if (!part.hasNext() && source.done()) {
        end(next);
        return;
      }
      if (ResponseBodies.headOnly(context)) { // the rest is not needed
        end(null);
        return;
      }
      bytes += next.length();
      send(next);
      if (waitingBytes > MAX_WAITING_BYTES) {
        full = true;
        if (source.rest()) {
          keepWaiting();
        }
        return;
      }
      if (bytes >= MAX_TASK_BYTES) { // other tasks run, and a closed connection is detected
        onLoop(this::write);
        return;
      }
    }
    if (source.done()) {
      end(Buffer.buffer());
    } else {
      long written = reserved;
      lastWrite.onComplete(accepted -> memory.give(written));
      reserve(cost(source.nextBytes()));
    }
  }

  /**
   * Returns the standing memory, apart from what the connection has not accepted: a part may have
   * been covered by it.
   */
  private void keepWaiting() {
    long kept = Math.min(standing, Math.max(0, waitingBytes - reserved));
    memory.give(standing - kept);
    reserved += kept; // until the part is accepted
    standing = 0;
  }

  private void send(Buffer buffer) {
    if (!response.headWritten() && !response.headers().contains(HttpHeaders.CONTENT_LENGTH)) {
      response.setChunked(true);
    }
    int bytes = buffer.length();
    waitingBytes += bytes;
    lastWrite = response.write(buffer);
    lastWrite.onComplete(accepted -> accepted(bytes));
  }

  private void accepted(int bytes) {
    waitingBytes -= bytes;
    if (full && waitingBytes <= MAX_WAITING_BYTES / 2) {
      full = false;
      onLoop(this::write);
    }
  }

  /** Ends the response. The last part takes memory until the connection has accepted it. */
  private void end(@Nullable Buffer last) {
    stop();
    if (response.closed() || response.ended()) {
      memory.release();
      return;
    }
    Future<Void> accepted =
        last == null
            ? response.end()
            : response.headWritten() ? response.end(last) : ResponseBodies.end(context, last);
    accepted.onComplete(sent -> memory.release());
  }

  private void watchToken() {
    if (!tokenWatched) {
      tokenWatched = true;
      atEnd(
          GrantExpiration.watch(
              context.vertx(), RequestContext.of(context).grant(), this::tokenEnded));
    }
  }

  private void tokenEnded() {
    fail(new WebException(WebErrorCode.UNAUTHENTICATED, "the token has expired or was revoked"));
  }

  /**
   * Ends the response before the source does, with its last words about a failure. Without any, the
   * response fails.
   */
  public void fail(Throwable failure) {
    if (over) {
      return;
    }
    Buffer last = source.lastWords(failure, begun || response.headWritten());
    if (last == null) {
      close();
      context.fail(failure);
    } else {
      open();
      end(last);
    }
  }

  /** Called if the caller disconnects, and after the end of the response. */
  private void ended() {
    if (!over) {
      close();
    }
  }

  private void close() {
    stop();
    memory.release();
  }

  private void stop() {
    if (over) {
      return;
    }
    over = true;
    endings.forEach(Runnable::run);
    if (reading != null) {
      reading.dispose();
    }
    part = Collections.emptyIterator();
    source.close();
  }
}
