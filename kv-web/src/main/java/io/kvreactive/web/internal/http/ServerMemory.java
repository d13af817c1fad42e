package io.kvreactive.web.internal.http;

import io.kvreactive.web.RoutesOptions;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/**
 * The memory that callers make a server hold: one budget with a part for each kind of use. The sum
 * of the parts may exceed the whole budget, which limits all of them together. The memory of
 * request heads and half-open sockets is counted by {@code ConnectionLimiter}, because the caller
 * is not known yet. Thread-safe.
 */
public final class ServerMemory {
  /**
   * Maximum size of a response of KV Connect in bytes. Deno may request 1000 values of 64 KiB and
   * their keys, which are 67 MiB.
   */
  public static final long MAX_ANSWER_BYTES = 72L << 20;

  private static final int ANSWERS_SHARE_OF_HEAP = 4;
  private static final int STREAMS_SHARE = 2; // divisor of the whole budget
  private static final int TOKEN_SHARE = 2; // divisor of the budget of streams

  private final ByteBudget all;
  private final ByteBudget bodies;
  private final ByteBudget trees;
  private final ByteBudget answers;
  private final ByteBudget streams;
  private final Map<String, Streams> streamsByCaller = new ConcurrentHashMap<>();

  public ServerMemory(RoutesOptions options) {
    long most = Math.max(options.maxMemoryBytes(), options.maxBodyBytes()); // so that one body fits
    this.all = new ByteBudget("the memory of requests", most);
    this.bodies =
        all.part("bodies of requests", Math.max(options.maxBodiesBytes(), options.maxBodyBytes()));
    this.trees = all.part("the JSON of requests", most);
    this.answers =
        all.part(
            "answers",
            Math.max(MAX_ANSWER_BYTES, Runtime.getRuntime().maxMemory() / ANSWERS_SHARE_OF_HEAP));
    this.streams = all.part("WebSockets", most / STREAMS_SHARE);
  }

  /** Returns the budget of request bodies. */
  public ByteBudget bodies() {
    return bodies;
  }

  /** Returns the budget of parsed JSON bodies. */
  public ByteBudget trees() {
    return trees;
  }

  /** Returns the budget of responses of KV Connect. Each is complete before it is sent. */
  public ByteBudget answers() {
    return answers;
  }

  /**
   * Returns the share of a new WebSocket of a caller. The share must be closed with the WebSocket.
   * One caller can take at most half of the memory of all WebSockets.
   */
  public StreamShare stream(String caller) {
    Streams its =
        streamsByCaller.compute(
            caller,
            (key, known) -> {
              Streams found = known == null ? new Streams(streams) : known;
              found.sockets++;
              return found;
            });
    return new StreamShare(caller, its.budget.share());
  }

  /** Passes the name and the budget of each kind of use to {@code action}. */
  public void forEach(BiConsumer<String, ByteBudget> action) {
    action.accept("bodies", bodies);
    action.accept("trees", trees);
    action.accept("answers", answers);
    action.accept("streams", streams);
  }

  /** Returns the maximum number of bytes of all uses together. */
  public long most() {
    return all.most();
  }

  /** The WebSockets of one caller. */
  private static final class Streams {
    private final ByteBudget budget;
    private int sockets; // modified by compute() only

    Streams(ByteBudget all) {
      budget = all.part("WebSockets of one token", all.most() / TOKEN_SHARE);
    }
  }

  /** The memory of one WebSocket. */
  public final class StreamShare {
    private final String caller;
    private final ByteBudget.Share bytes;
    private boolean closed;

    private StreamShare(String caller, ByteBudget.Share bytes) {
      this.caller = caller;
      this.bytes = bytes;
    }

    /** Returns the bytes that the WebSocket holds. */
    public ByteBudget.Share bytes() {
      return bytes;
    }

    /** Returns all bytes to the budget. Idempotent; must be called on one thread. */
    public void close() {
      if (!closed) {
        closed = true;
        bytes.release();
        streamsByCaller.computeIfPresent(caller, (key, its) -> --its.sockets == 0 ? null : its);
      }
    }
  }
}
