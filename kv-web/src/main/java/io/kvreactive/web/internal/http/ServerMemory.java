package io.kvreactive.web.internal.http;

import io.kvreactive.web.RoutesOptions;
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
  private static final int CALLER_SHARE = 2; // divisor: of answers, and of the whole for WebSockets

  private final ByteBudget all;
  private final ByteBudget bodies;
  private final ByteBudget trees;
  private final ByteBudget answers;
  private final ByteBudget streams;
  private final CallerBudgets answersOfCallers;
  private final CallerBudgets streamsOfCallers;

  public ServerMemory(RoutesOptions options) {
    long most = Math.max(options.maxMemoryBytes(), options.maxBodyBytes()); // so that one body fits
    this.all = new ByteBudget("the memory of requests", most);
    this.bodies =
        all.part("bodies of requests", Math.max(options.maxBodiesBytes(), options.maxBodyBytes()));
    this.trees = all.part("the JSON of requests", most);
    this.answers =
        all.part(
            "answers",
            Math.max(
                CALLER_SHARE * MAX_ANSWER_BYTES,
                Runtime.getRuntime().maxMemory() / ANSWERS_SHARE_OF_HEAP));
    this.answersOfCallers =
        new CallerBudgets(
            answers,
            "answers to one token",
            Math.max(MAX_ANSWER_BYTES, answers.most() / CALLER_SHARE));
    this.streams = all.part("WebSockets", most / 4 * 3); // something is left for requests
    this.streamsOfCallers =
        new CallerBudgets(streams, "WebSockets of one token", most / CALLER_SHARE);
  }

  /** Returns the budget of request bodies. */
  public ByteBudget bodies() {
    return bodies;
  }

  /** Returns the budget of parsed JSON bodies. */
  public ByteBudget trees() {
    return trees;
  }

  /**
   * Returns the share of a response to a caller: what was read for it and is not written yet. The
   * share must be released with the response. The responses to one caller can take at most half of
   * the memory of all responses, or one large response.
   */
  public ByteBudget.Share answer(String caller) {
    return answersOfCallers.share(caller);
  }

  /**
   * Returns the share of a new WebSocket of a caller. The share must be released with the
   * WebSocket. All WebSockets can take three quarters of the whole budget, those of a caller half:
   * the browsers of a service often share one token.
   */
  public ByteBudget.Share stream(String caller) {
    return streamsOfCallers.share(caller);
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
}
