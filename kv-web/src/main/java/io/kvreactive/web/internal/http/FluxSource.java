package io.kvreactive.web.internal.http;

import io.kvreactive.Versionstamp;
import io.kvreactive.internal.shared.CancellableSubscriber;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * The source of a body of the elements of a publisher, such as the rows of a query, the events of a
 * feed or the states of a watch. Elements are requested one by one until a part is large enough, or
 * until the first one has waited for a while.
 */
public abstract class FluxSource implements Outlet.Source {
  /** The size in bytes of a part of many elements. */
  protected static final int PART_BYTES = 32 << 10;

  private static final long QUIET_MILLIS = 250;

  private final Context context = Outlet.current();
  private final int partBytes;
  private final long waitMillis;
  private final Consumer<HttpServerResponse> headers;
  private Reader reader = new Reader();
  private boolean subscribed;
  private @Nullable Versionstamp position;
  private volatile long covered; // size of a part that takes no memory of its own

  /**
   * An element.
   *
   * @param bytes its bytes, to which those of later elements may be appended
   * @param position where a feed can be resumed after this element; null if this is not possible
   */
  public record Element(Buffer bytes, @Nullable Versionstamp position) {}

  /**
   * Creates a source. Must be called on the event loop of the request.
   *
   * @param partBytes the size in bytes at which a part is complete: 1 for parts of one element
   * @param waitMillis the time in milliseconds that an element waits for others at most; 0 for the
   *     rest of the task that it arrives in
   * @param headers sets the headers of the response
   */
  protected FluxSource(int partBytes, long waitMillis, Consumer<HttpServerResponse> headers) {
    this.partBytes = partBytes;
    this.waitMillis = waitMillis;
    this.headers = headers;
  }

  /**
   * Returns the elements, which may emit on any thread. Subscribed to on the event loop of the
   * request.
   *
   * @param after the position of the last element that was accepted and has one; null before
   */
  protected abstract Flux<Element> elements(@Nullable Versionstamp after);

  /** Returns the position of the last element that was accepted and has one; null before. */
  protected final @Nullable Versionstamp position() {
    return position;
  }

  /** Ends the subscription. The next part continues after {@link #position}. */
  protected final void restart() {
    reader.dispose();
    reader = new Reader();
    subscribed = false;
  }

  /** Returns 0: parts are among the standing memory. What they have besides is taken later. */
  @Override
  public final long nextBytes() {
    return 0;
  }

  /**
   * Called on the event loop when no element has arrived for {@value #QUIET_MILLIS} ms, if the
   * source has standing memory.
   */
  protected void quiet() {}

  @Override
  public Mono<Outlet.Part> next(ByteBudget.Share memory) {
    return Mono.create(
        sink -> {
          covered = standingBytes();
          Reader from = reader;
          if (!subscribed) {
            subscribed = true;
            elements(position).subscribe(from);
          }
          from.fill(sink);
        });
  }

  @Override
  public void accepted() {
    Versionstamp emitted = reader.emitted();
    if (emitted != null) {
      position = emitted;
    }
  }

  @Override
  public boolean done() {
    return reader.isDone();
  }

  @Override
  public final void setHeaders(HttpServerResponse response) {
    headers.accept(response);
  }

  @Override
  public void close() {
    reader.dispose();
  }

  /** Collects elements for a part. Its signals may come on any thread. */
  private final class Reader extends CancellableSubscriber<Element> {
    private final AtomicInteger work = new AtomicInteger();
    private @Nullable Buffer part; // null if it has no element; guarded by this, as all below
    private @Nullable Versionstamp partPosition;
    private @Nullable Versionstamp emitted; // the position of the last part
    private @Nullable MonoSink<Outlet.Part> waiting;
    private boolean requested; // an element that has not arrived
    private boolean due; // the part should not wait for more elements
    private boolean timed; // a timer will make it due
    private boolean listens; // a timer will call quiet() unless an element arrives
    private boolean completed;
    private long arrivals;
    private @Nullable Throwable failure;

    synchronized boolean isDone() {
      return completed && part == null;
    }

    synchronized @Nullable Versionstamp emitted() {
      return emitted;
    }

    void fill(MonoSink<Outlet.Part> sink) {
      synchronized (this) {
        waiting = sink;
      }
      drain();
    }

    @Override
    protected void subscribed() {
      drain(); // requests the first element
    }

    @Override
    protected void received(Element element) {
      synchronized (this) {
        arrivals++;
        part = part == null ? element.bytes() : part.appendBuffer(element.bytes());
        if (element.position() != null) {
          partPosition = element.position();
        }
        requested = false;
      }
      drain();
    }

    @Override
    protected void completed() {
      synchronized (this) {
        completed = true;
      }
      drain();
    }

    @Override
    protected void failed(Throwable error) {
      synchronized (this) {
        failure = error;
      }
      drain();
    }

    private void drain() {
      if (work.getAndIncrement() > 0) {
        return; // the call that is active goes on, as for a signal of its own request
      }
      int seen = 1;
      do {
        step();
        seen = work.addAndGet(-seen);
      } while (seen > 0);
    }

    private void step() {
      Runnable next;
      synchronized (this) {
        next = next();
      }
      next.run();
    }

    /** Returns what is to be done now, which may make signals. */
    private Runnable next() {
      MonoSink<Outlet.Part> sink = waiting;
      if (sink == null) {
        return () -> {};
      }
      boolean isFull = part != null && (part.length() >= partBytes || due);
      if (isFull || completed || failure != null) {
        return emission(sink);
      }
      boolean wants = !requested && isSubscribed();
      requested |= wants;
      if (part == null && wants && !listens && covered > 0) {
        listens = true;
        long count = arrivals;
        context.owner().setTimer(QUIET_MILLIS, fired -> checkQuiet(count));
      } else if (part != null && !timed) {
        timed = true;
        if (waitMillis == 0) {
          context.runOnContext(turn -> makeDue());
        } else {
          context.owner().setTimer(waitMillis, fired -> makeDue());
        }
      }
      return wants ? () -> request(1) : () -> {};
    }

    private Runnable emission(MonoSink<Outlet.Part> sink) {
      waiting = null;
      due = false;
      Throwable failed = failure;
      if (part == null && failed != null) { // after the elements before it
        return () -> sink.error(failed);
      }
      Buffer full = part == null ? Buffer.buffer() : part;
      part = null;
      emitted = partPosition;
      long bytes = Math.max(0, full.length() - covered);
      return () -> sink.success(new Outlet.Part(bytes, List.of(full).iterator()));
    }

    private void checkQuiet(long count) {
      boolean isQuiet;
      synchronized (this) {
        listens = false;
        isQuiet = arrivals == count;
      }
      context.runOnContext(
          turn -> {
            if (isQuiet && reader == this) {
              quiet();
            }
          });
    }

    private void makeDue() {
      synchronized (this) {
        timed = false;
        due = true;
      }
      drain();
    }
  }
}
