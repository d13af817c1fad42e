package io.kvreactive.web.internal.stream;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.internal.shared.ArgumentChecks;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.http.ByteBudget;
import io.kvreactive.web.internal.http.Problem;
import io.kvreactive.web.internal.http.WorkerOffload;
import io.netty.channel.Channel;
import io.vertx.core.AsyncResult;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.http.WebSocketFrame;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection: its subscriptions and their turns. In a turn, a subscription sends about one frame
 * or starts reading. Turns continue while the socket accepts output, and nothing is read from the
 * store while it does not. All methods but {@link #run} must be called on the connection's context.
 */
final class StreamSocket {
  /** Size in bytes at which a frame is sent. */
  static final int FRAME_BYTES = 48 << 10;

  private static final Logger LOG = LoggerFactory.getLogger(StreamSocket.class);

  /** Maximum output in bytes of one task, so that other tasks of the event loop run in between. */
  private static final int TASK_BYTES = 128 << 10;

  private static final long MAX_CLOSING_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final int MAX_LISTS = 4; // lists that read or hold a page
  private static final int MAX_QUERIES = 8; // queries that wait for rows or hold some
  private static final int MAX_RUNNING_WRITES = 8; // writes that run or hold an answer
  private static final int MAX_PINGS = 2;

  /**
   * Memory in bytes of a connection without subscriptions, as measured, of which 5 KB are a queue
   * of Vert.x.
   */
  static final int CONNECTION_BYTES = 11 << 10;

  private static final int RETRY_AFTER_MILLIS = 1_000;
  private static final int RETRY_JITTER_MILLIS = 4_000;

  private final EventLoopSockets sockets;
  private final ByteBudget.Share memory;
  private final ServerWebSocket ws;
  private final OutboundQueue out;
  private final MessageAssembler in;
  private final Caller caller;
  private final String requestId;
  private final SubscriptionMemory held;
  private final InboundThrottle throttle;
  private final SubscriptionFactory factory;
  private final Map<Long, Subscription> subscriptions = new HashMap<>(4);
  private final ArrayDeque<Subscription> ready = new ArrayDeque<>(1);
  private final ReadPermits lists = new ReadPermits(MAX_LISTS);
  private final ReadPermits queries = new ReadPermits(MAX_QUERIES);
  private final ReadPermits writes = new ReadPermits(MAX_RUNNING_WRITES);
  private int writing;
  private boolean scheduled;
  private boolean leaving; // goingAway was sent, and writes are being finished
  private boolean closing;
  private int pings;
  private long receivedNanos;
  private long sentNanos; // time of the last message other than a pong
  private long pingedNanos;

  /**
   * Creates a connection.
   *
   * @param memory the memory of this connection, which is released with it
   */
  StreamSocket(
      EventLoopSockets sockets,
      ServerWebSocket ws,
      Channel channel,
      Caller caller,
      ByteBudget.Share memory) {
    this.memory = memory;
    this.sockets = sockets;
    this.ws = ws;
    this.out =
        new OutboundQueue(
            ws, channel, sockets.options().queueBytes(), memory, sockets.meters(), this::schedule);
    this.in = new MessageAssembler(sockets.options().maxMessageBytes(), memory);
    this.held = new SubscriptionMemory(sockets.options().heldBytes(), memory);
    this.caller = caller;
    this.throttle = new InboundThrottle(sockets, out, caller, this::handleMessage);
    this.factory = new SubscriptionFactory(this, caller);
    this.requestId = caller.requestId();
    this.receivedNanos = System.nanoTime();
    this.sentNanos = receivedNanos;
    this.pingedNanos = receivedNanos;
    sockets.meters().streamConnections().increment();
  }

  void begin() {
    ws.closeHandler(closed -> closed());
    ws.exceptionHandler(this::broken);
    ws.frameHandler(this::frame);
    ws.drainHandler(drained -> out.resumeReading());
    guarded(() -> memory.take(CONNECTION_BYTES));
  }

  // ---- inbound

  private void frame(WebSocketFrame frame) {
    pings = 0;
    receivedNanos = System.nanoTime();
    out.pauseReadingIfFull();
    if (closing || !(frame.isText() || frame.isBinary() || frame.isContinuation())) {
      return;
    }
    sentNanos = receivedNanos;
    guarded(
        () -> {
          Buffer message = in.take(frame);
          if (message != null) {
            throttle.said(message);
          }
        });
  }

  private void handleMessage(Buffer message) {
    if (closing) {
      return;
    }
    if (message.length() <= WorkerOffload.MAX_ON_EVENT_LOOP) {
      guarded(() -> handle(ClientFrameParser.read(message)));
    } else {
      guarded(() -> parseOnWorker(message));
    }
  }

  /** Parses a large message on a worker thread. Later messages wait. */
  private void parseOnWorker(Buffer message) {
    memory.take(message.length());
    throttle.hold();
    sockets
        .offload()
        .run(() -> ClientFrameParser.read(message))
        .onComplete(
            parsed -> {
              memory.give(message.length());
              if (!closing) {
                guarded(() -> handle(resultOf(parsed)));
                throttle.release();
              }
            });
  }

  private static ClientFrame resultOf(AsyncResult<ClientFrame> parsed) {
    if (parsed.succeeded()) {
      return parsed.result();
    }
    throw parsed.cause() instanceof RuntimeException known
        ? known
        : new IllegalStateException(parsed.cause());
  }

  private void guarded(Runnable task) {
    try {
      task.run();
    } catch (BadFrameException e) {
      bad(e.detail());
    } catch (KvException e) { // only OVERLOADED reaches this point
      goAway(CloseCode.TRY_AGAIN_LATER, e.detail(), RETRY_AFTER_MILLIS);
    } catch (MessageAssembler.TooBigException e) {
      close(CloseCode.TOO_BIG, String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      caller.failures().log("stream " + requestId, e);
      close(CloseCode.INTERNAL, "internal error");
    }
  }

  private void bad(String detail) {
    sockets.frames().error(null, Problem.of(WebErrorCode.BAD_REQUEST, detail), requestId, null);
    send();
    close(CloseCode.BAD_FRAME, detail);
  }

  private void handle(ClientFrame frame) {
    if (frame instanceof ClientFrame.Ping) {
      frames()
          .pong(
              subscriptions.values().stream()
                  .filter(each -> !each.isWrite() && each.demand() == 0)
                  .map(each -> each.id)
                  .sorted()
                  .toList());
      send();
    } else if (frame instanceof ClientFrame.Credit credit) {
      credit(credit);
    } else if (frame instanceof ClientFrame.Cancel cancel) {
      remove(subscriptions.get(cancel.id()));
    } else if (frame instanceof ClientFrame.Refused refused) {
      requireUnused(refused.id());
      refuse(refused.id(), refused.why());
    } else if (frame instanceof ClientFrame.Open open) {
      open(open);
    }
  }

  /** Adds credit. Has no effect if the subscription has ended. */
  private void credit(ClientFrame.Credit credit) {
    Subscription subscription = subscriptions.get(credit.id());
    if (subscription == null) {
      return;
    }
    if (credit.bytes() < 0) {
      fail(subscription, ArgumentChecks.invalid("bytes", credit.bytes(), "at least 0"));
    } else if (credit.n() < (credit.bytes() > 0 ? 0 : 1)) {
      fail(subscription, ArgumentChecks.invalid("n", credit.n(), "at least 1"));
    } else {
      subscription.allow(credit.n(), credit.bytes());
    }
  }

  private void requireUnused(long id) {
    if (subscriptions.containsKey(id)) {
      throw new BadFrameException("id: " + id + " (expected: an unused id)");
    }
  }

  private void open(ClientFrame.Open open) {
    requireUnused(open.id());
    if (caller.grant().expired()) {
      goAway(CloseCode.TOKEN_EXPIRED, "the token has expired", 0);
      return;
    }
    try {
      if (leaving) {
        throw new WebException(WebErrorCode.GOING_AWAY, "the server is stopping");
      }
      int most = sockets.options().maxSubscriptions();
      if (subscriptions.size() >= most) {
        throw new KvException(
            KvErrorCode.LIMIT_EXCEEDED, "subscriptions: more than " + most + " on a connection");
      }
      Subscription subscription = factory.subscription(open);
      if (!held.keep(open.bytes(), open.countedBytes())) {
        throw new KvException(
            KvErrorCode.LIMIT_EXCEEDED,
            "subscriptions: %d bytes more (expected: at most %d on a connection)"
                .formatted(open.countedBytes(), sockets.options().heldBytes()));
      }
      subscriptions.put(open.id(), subscription);
      sockets.meters().streamSubscriptions().increment();
      if (subscription.isWrite()) {
        writing++;
        sockets.lifecycle().entered();
      }
      subscription.wantTurn();
    } catch (KvException | WebException | DocumentException e) {
      refuse(open.id(), e);
    }
  }

  private void refuse(long id, Throwable why) {
    Problem problem = Problem.of(why);
    auditIfForbidden(problem);
    frames().error(id, problem, requestId, null);
    send();
  }

  private String subject(Subscription subscription) {
    return "stream " + requestId + ": subscription " + subscription.id;
  }

  private void auditIfForbidden(Problem problem) {
    if (problem.status() == WebErrorCode.FORBIDDEN.status()) {
      refused("access.refused", problem.detail());
    }
  }

  private void refused(String event, String reason) {
    caller.refused().apply(event).with("reason", reason).log();
  }

  // ---- turns

  void queue(Subscription subscription) {
    ready.add(subscription);
    schedule();
  }

  private void schedule() {
    if (scheduled || closing || ready.isEmpty()) {
      return;
    }
    if (out.hasRoom()) {
      scheduled = true;
      run(this::turns);
    } else {
      held.giveGranted(); // the subscription does not read before there is room
    }
  }

  private void turns() {
    scheduled = false;
    int bytes = 0;
    while (!closing && bytes < TASK_BYTES && out.hasRoom()) {
      Subscription next = ready.poll();
      if (next == null) {
        return;
      }
      try {
        bytes += next.takeTurn();
      } catch (RuntimeException e) {
        caller.failures().log(subject(next), e);
        next.fail(e);
      }
    }
    schedule();
  }

  /** Returns true if the socket accepts another frame. */
  boolean hasRoom() {
    return out.hasRoom();
  }

  /** Returns the writer of the next frame. {@link #send} sends the frame. */
  FrameWriter frames() {
    return sockets.frames();
  }

  /** Sends the frame of {@link #frames} and returns its size in bytes. */
  int send() {
    int bytes = frames().length();
    out.send(frames().text(), bytes);
    return bytes;
  }

  /** Runs a task on this connection's context. May be called on any thread. */
  void run(Runnable task) {
    sockets.run(task);
  }

  /**
   * Returns the number of feeds that are still listing and of queries that have not sent all rows.
   */
  long listing() {
    return subscriptions.values().stream().filter(Subscription::isListing).count();
  }

  /** Returns the memory of requests and results of the subscriptions. */
  SubscriptionMemory held() {
    return held;
  }

  /** Returns the permits of lists to read pages. */
  ReadPermits lists() {
    return lists;
  }

  /** Returns the permits of queries to wait for rows. */
  ReadPermits queries() {
    return queries;
  }

  /** Returns the permits of writes to run, or to hold an answer. */
  ReadPermits writes() {
    return writes;
  }

  /** Returns the number of writes that are not answered yet. */
  int writing() {
    return writing;
  }

  // ---- end of subscriptions

  void remove(@Nullable Subscription subscription) {
    if (subscription != null && subscriptions.remove(subscription.id, subscription)) {
      lists.remove(subscription);
      queries.remove(subscription);
      writes.remove(subscription);
      subscription.stop();
      held.release(subscription.keptBytes, subscription.countedBytes);
      held.ended(subscription);
      sockets.meters().streamSubscriptions().decrement();
      if (subscription.isWrite()) {
        writing--;
        sockets.lifecycle().left();
        if (leaving) {
          run(this::closeIfLeft);
        }
      }
    }
  }

  void end(Subscription subscription, @Nullable String cursor) {
    Versionstamp last = subscription.resumeFrom();
    remove(subscription);
    frames().end(subscription.id, last, cursor);
    send();
  }

  void fail(Subscription subscription, Throwable failure) {
    Problem problem = Problem.of(failure);
    if (problem.forOperators()) {
      caller.failures().log(subject(subscription), failure);
    }
    auditIfForbidden(problem);
    frames().error(subscription.id, problem, requestId, subscription.resumeFrom());
    send(); // before a server that stops sees the end of a write
    remove(subscription);
  }

  // ---- the end of the connection

  /** Checks all timeouts. Must be called periodically. */
  void tick(long nanos) {
    long heartbeat = sockets.options().heartbeat().toNanos();
    if (closing) {
      if (out.isStuckFor(nanos, MAX_CLOSING_NANOS)) {
        out.cut();
      }
    } else if (caller.grant().expired()) {
      goAway(CloseCode.TOKEN_EXPIRED, "the token has expired", 0);
    } else if (out.isStuckFor(nanos, sockets.options().slowAfter().toNanos())) {
      goAway(
          CloseCode.SLOW_CONSUMER,
          "output is pending and the client does not read",
          RETRY_AFTER_MILLIS);
    } else if (subscriptions.isEmpty()
        && nanos - sentNanos > sockets.options().idleAfter().toNanos()) {
      close(CloseCode.IDLE, "idle without a subscription");
    } else if (throttle.pauses()) {
      receivedNanos = nanos; // reading is paused, so silence is expected
    } else if (out.isEmpty() && nanos - Math.max(receivedNanos, pingedNanos) > heartbeat) {
      ping(nanos);
    }
  }

  private void ping(long nanos) {
    if (pings >= MAX_PINGS) {
      out.cut(); // the client would not receive a close code
    } else {
      pings++;
      pingedNanos = nanos;
      ws.writePing(Buffer.buffer());
    }
  }

  /**
   * Closes the connection because the server stops, after the answers to writes. Clients get
   * different times to reconnect, from 1 to 5 s.
   */
  void drain() {
    if (!leaving) {
      int jitter = ThreadLocalRandom.current().nextInt(RETRY_JITTER_MILLIS);
      sendGoingAway(RETRY_AFTER_MILLIS + jitter);
      leaving = true;
      List.copyOf(subscriptions.values()).stream()
          .filter(subscription -> !subscription.isWrite())
          .forEach(this::remove);
      closeIfLeft();
    }
  }

  private void closeIfLeft() {
    if (leaving && writing == 0) {
      close(CloseCode.GOING_AWAY, "the server is stopping");
    }
  }

  private void goAway(CloseCode code, String reason, long retryAfterMillis) {
    sendGoingAway(retryAfterMillis);
    close(code, reason);
  }

  private void sendGoingAway(long retryAfterMillis) {
    if (!closing && !leaving) {
      Map<Long, Versionstamp> resume = new TreeMap<>();
      subscriptions.forEach(
          (id, subscription) -> {
            Versionstamp from = subscription.resumeFrom();
            if (from != null) {
              resume.put(id, from);
            }
          });
      frames().goingAway(retryAfterMillis, resume);
      send();
    }
  }

  private void close(CloseCode code, String reason) {
    if (!closing) {
      closing = true;
      stopAll();
      out.close(code, reason);
    }
  }

  private void broken(Throwable failure) {
    LOG.debug("stream {} is broken", requestId, failure);
    close(CloseCode.TOO_BIG, "invalid or too large WebSocket frame");
  }

  private void closed() {
    closing = true;
    stopAll();
    memory.release();
    sockets.meters().streamConnections().decrement();
    sockets.remove(this);
  }

  private void stopAll() {
    ready.clear();
    throttle.stop();
    lists.clear();
    queries.clear();
    writes.clear();
    held.clear();
    Map.copyOf(subscriptions).values().forEach(Subscription::stop);
    sockets.meters().streamSubscriptions().add(-subscriptions.size());
    subscriptions.clear();
    for (; writing > 0; writing--) {
      sockets.lifecycle().left();
    }
  }
}
