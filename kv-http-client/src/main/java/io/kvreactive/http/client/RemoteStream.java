package io.kvreactive.http.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.http.client.AttemptFailure.Kind;
import io.kvreactive.http.client.RetryingCall.Backoff;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.spi.SerialSubscription;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;

/**
 * A subscription to a query, a watch or a change feed of the server. Its messages share a WebSocket
 * of {@link StreamPool} with those of other streams, and a {@link StreamProtocol} reads them.
 *
 * <p><b>Demand.</b> The stream is opened when there is demand. The server sends elements within a
 * credit, which is the demand of the subscriber, but at most {@value #MAX_CREDIT} elements. It
 * requests no more elements while messages of {@value #MAX_BYTES} bytes are unconfirmed. Messages
 * are confirmed when their elements have been emitted. Messages therefore wait for a slow
 * subscriber only within both limits, which a single large element may exceed.
 *
 * <p><b>Loss.</b> If the connection is lost, the protocol says whether the stream is opened again.
 * Attempts follow after growing pauses.
 *
 * <p><b>Threads.</b> The event loop of the client adds {@link Event}s. {@link #step} handles them
 * and emits elements, on the context of the subscriber.
 */
public final class RemoteStream<T> extends SerialSubscription<T> {
  private static final int MAX_CREDIT = 256;
  private static final int MAX_BYTES = 4 << 20;

  /** The server takes messages of 1 MiB. */
  private static final int MAX_REQUEST_CHARS = 340_000;

  /**
   * An event of the connection, with the socket and the id of the stream on it; messages are texts.
   */
  private sealed interface Event {
    record Opened(StreamSocketClient socket, long id) implements Event {}

    record Message(StreamSocketClient socket, long id, String text) implements Event {}

    /** The socket is null if the stream got none, or if the client is closed. */
    record Lost(@Nullable StreamSocketClient socket, long id, AttemptFailure reason)
        implements Event {}
  }

  private final StreamPool pool;
  private final StreamProtocol<T> protocol;
  private final Queue<Event> events = new ConcurrentLinkedQueue<>();
  private final Deque<T> arrived = new ArrayDeque<>();
  private @Nullable StreamSocketClient socket;
  private long id;
  private @Nullable StreamSocketClient retired; // the last socket that was left, with its id
  private long retiredId;
  private long began; // the time of the first opening
  private long granted; // credit that the server has left
  private long unconfirmedBytes; // of handled messages
  private boolean opening;
  private boolean isOpen;
  private boolean hasAnswered; // the server has accepted a connection for this stream
  private boolean hasEmitted;
  private boolean hasEnded;
  private int failures;
  private @Nullable Throwable failure;

  private RemoteStream(
      CoreSubscriber<? super T> subscriber, StreamPool pool, StreamProtocol<T> protocol) {
    super(subscriber, SubscriberContext.ELASTIC.forSubscriber());
    this.pool = pool;
    this.protocol = protocol;
  }

  /** Returns a stream, which is opened when there is demand. */
  public static <T> Flux<T> of(StreamPool pool, Supplier<StreamProtocol<T>> protocol) {
    return new Flux<>() {
      @Override
      public void subscribe(CoreSubscriber<? super T> subscriber) {
        new RemoteStream<>(subscriber, pool, protocol.get()).subscribe();
      }
    };
  }

  boolean isQuery() {
    return protocol.isQuery();
  }

  // called on the event loop of the client

  void opened(StreamSocketClient by, long as) {
    add(new Event.Opened(by, as));
  }

  void received(StreamSocketClient by, long as, String message) {
    add(new Event.Message(by, as, message));
  }

  void lost(StreamSocketClient by, long as, AttemptFailure reason) {
    add(new Event.Lost(by, as, reason));
  }

  /** Ends an attempt that got no WebSocket. Thread-safe. */
  void lost(AttemptFailure reason) {
    add(new Event.Lost(null, 0, reason));
  }

  private void add(Event event) {
    events.add(event);
    wake();
  }

  @Override
  protected void step() {
    for (Event event = events.poll(); event != null; event = events.poll()) {
      handle(event);
    }
    while (requested() > 0 && !arrived.isEmpty() && !isEnding()) {
      hasEmitted = true;
      emit(arrived.remove());
    }
    if (isEnding()) {
      return;
    }
    if (failure == null && !hasEnded) {
      grantCredit();
    }
    if (arrived.isEmpty() && (failure != null || hasEnded)) {
      terminate(failure);
    }
  }

  private void handle(Event event) {
    if (event instanceof Event.Opened opened) {
      begin(opened.socket(), opened.id());
    } else if (event instanceof Event.Message message) {
      if (isOpen && message.socket() == socket && message.id() == id) {
        receive(message.text());
      }
    } else if (event instanceof Event.Lost lost && !isStale(lost)) {
      lose(lost.reason());
    }
  }

  /** Returns true if the stream has left the socket already, or has its end. */
  private boolean isStale(Event.Lost lost) {
    StreamSocketClient by = lost.socket();
    return failure != null || hasEnded || by != null && by == retired && lost.id() == retiredId;
  }

  private void begin(StreamSocketClient by, long as) {
    if (isEnding()) {
      pool.run(this, () -> by.remove(as, true));
      return;
    }
    socket = by;
    id = as;
    isOpen = true;
    opening = false;
    hasAnswered = true;
  }

  /** Opens the stream after a pause, which may be 0. */
  private void open(long pauseMillis) {
    granted = wanted();
    unconfirmedBytes = 0;
    ObjectNode request = protocol.request().put("credit", granted);
    if (protocol.limitsBytes()) {
      request.put("creditBytes", MAX_BYTES);
    }
    String text = pool.codec().text(request);
    if (text.length() > MAX_REQUEST_CHARS) {
      failure =
          new KvException(
              KvErrorCode.LIMIT_EXCEEDED,
              "request of %d characters (expected: at most %d for a stream)"
                  .formatted(text.length(), MAX_REQUEST_CHARS));
      return;
    }
    opening = true;
    pool.open(this, pauseMillis, text);
  }

  private long wanted() {
    return Math.max(0, Math.min(MAX_CREDIT, requested() - arrived.size()));
  }

  private void grantCredit() {
    if (!isOpen) {
      if (!opening && failures == 0 && requested() > 0) {
        began = System.nanoTime();
        open(0);
      }
      return;
    }
    long more = Math.max(0, wanted() - granted);
    boolean isDue =
        more > 0 && (granted == 0 || more >= MAX_CREDIT / 2)
            || arrived.isEmpty() && unconfirmedBytes >= MAX_BYTES / 2;
    if (isDue) {
      StreamSocketClient by = socket;
      String text =
          "{\"op\":\"credit\",\"id\":%d,\"n\":%d,\"bytes\":%d}"
              .formatted(id, more, unconfirmedBytes);
      granted += more;
      unconfirmedBytes = 0;
      pool.run(this, () -> send(by, text));
    }
  }

  private static void send(@Nullable StreamSocketClient by, String text) {
    if (by != null) {
      by.send(text);
    }
  }

  private void receive(String text) {
    try {
      byte[] json = text.getBytes(StandardCharsets.UTF_8);
      unconfirmedBytes += protocol.limitsBytes() ? json.length : 0;
      JsonNode message = pool.codec().parse(json);
      String type = message.path("type").asText();
      if (type.equals("error")) {
        detach(false);
        lose(pool.codec().failure(ServerProblem.of(message)));
      } else if (type.equals("end")) {
        detach(false);
        if (!protocol.continues()) {
          hasEnded = true;
        } else { // the store of the server is closed
          lose(
              AttemptFailure.unavailable(
                  Kind.NOT_DONE, "the server ended the stream", new IllegalStateException(type)));
        }
      } else {
        failures = 0;
        granted -= protocol.receive(message, this::arrive);
      }
    } catch (RuntimeException e) {
      failure = e;
      detach(true);
    }
  }

  private void arrive(T element) {
    T last = arrived.peekLast();
    if (last != null && protocol.replaces(element, last)) {
      arrived.removeLast();
    }
    arrived.add(element);
  }

  private void detach(boolean cancel) {
    StreamSocketClient by = socket;
    long as = id;
    isOpen = false;
    socket = null;
    retired = by;
    retiredId = as;
    if (by != null) {
      pool.run(this, () -> by.remove(as, cancel));
    }
  }

  private void lose(AttemptFailure reason) {
    isOpen = false;
    socket = null;
    opening = false;
    boolean mayContinue = protocol.continues() || !hasEmitted && arrived.isEmpty();
    long pause = Backoff.DEFAULT.pauseMillis(failures, reason);
    boolean inTime =
        protocol.continues() && hasAnswered
            || TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began) + pause
                < pool.server().retryMillis();
    if (reason.kind() == Kind.FINAL || !mayContinue || !inTime) {
      failure = reason.shown();
      return;
    }
    failures++;
    protocol.lost(reason.shown());
    open(pause);
  }

  @Override
  protected void release() {
    arrived.clear();
    for (Event event = events.poll(); event != null; event = events.poll()) {
      if (event instanceof Event.Opened opened) {
        pool.run(this, () -> opened.socket().remove(opened.id(), true));
      }
    }
    detach(true);
  }
}
