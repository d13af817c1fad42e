package io.kvreactive.server;

import io.kvreactive.web.Http2Peer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Clients without a token that open HTTP/2 requests and never end them. Each connection stays open
 * until all clients have finished sending, or until the server has ended it.
 *
 * @param connections the number of connections
 * @param parallel the number of connections that send concurrently
 * @param streams the number of streams that each connection tries to open
 * @param headerBytes the bytes of headers per request
 * @param acknowledges true if the callers acknowledge the server's settings
 * @param window the initial window of streams that the callers offer
 */
public record StreamFlood(
    int connections, int parallel, int streams, int headerBytes, boolean acknowledges, int window) {
  private static final int DEFAULT_WINDOW = 65_535;
  private static final int BATCH = 50;

  /**
   * Outcome of an attack.
   *
   * @param opened the number of requests sent
   * @param refused the number of streams that the server reset with an error
   * @param released the number of streams that the server reset after their answer, without an
   *     error
   * @param ended the number of connections that the server ended with GOAWAY
   */
  public record Outcome(int opened, int refused, int released, int ended) {}

  /** Returns a flood of clients that never acknowledge the settings, nor the limits in them. */
  public static StreamFlood unacknowledged(int connections, int streams, int headerBytes) {
    return new StreamFlood(connections, 8, streams, headerBytes, false, DEFAULT_WINDOW);
  }

  /** Returns a flood of clients that respect the limit of streams. */
  public static StreamFlood wellBehaved(int connections, int streams, int headerBytes) {
    return new StreamFlood(connections, 8, streams, headerBytes, true, DEFAULT_WINDOW);
  }

  /** Returns a flood of clients whose window never admits the body of an answer. */
  public static StreamFlood closedWindow(int connections, int streams, int headerBytes) {
    return new StreamFlood(connections, 8, streams, headerBytes, true, 0);
  }

  /** Attacks a server on this machine. Blocks until everything was sent. */
  public Outcome run(int port) throws Exception {
    Counts counts = new Counts();
    List<Http2Peer> open = new ArrayList<>();
    ExecutorService senders = Executors.newFixedThreadPool(parallel);
    ExecutorService readers = Executors.newCachedThreadPool();
    try {
      List<Future<?>> sending = new ArrayList<>();
      for (int i = 0; i < connections; i++) {
        sending.add(senders.submit(() -> connection(port, open, readers, counts)));
      }
      for (Future<?> one : sending) {
        one.get();
      }
    } finally {
      synchronized (open) {
        open.forEach(Http2Peer::close);
      }
      senders.shutdownNow();
      readers.shutdownNow();
    }
    return counts.outcome();
  }

  private static final class Counts {
    final AtomicInteger opened = new AtomicInteger();
    final AtomicInteger refused = new AtomicInteger();
    final AtomicInteger released = new AtomicInteger();
    final AtomicInteger ended = new AtomicInteger();

    Outcome outcome() {
      return new Outcome(opened.get(), refused.get(), released.get(), ended.get());
    }
  }

  private void connection(int port, List<Http2Peer> open, ExecutorService readers, Counts counts) {
    String filler = "x".repeat(Math.max(1, headerBytes / 2));
    try {
      Http2Peer peer = new Http2Peer(port, Http2Peer.INITIAL_WINDOW_SIZE, window);
      synchronized (open) {
        open.add(peer);
      }
      if (acknowledges) {
        peer.acknowledge();
      }
      readers.execute(() -> read(peer, counts));
      for (int i = 0; i < streams; i++) {
        peer.request(2 * i + 1, false, "POST", "/api/v1/atomic", "x-a", filler, "x-b", filler);
        counts.opened.incrementAndGet();
        if (i % BATCH == BATCH - 1) {
          peer.flush();
        }
      }
      peer.flush();
    } catch (IOException ended) {
      return; // the reader counts the frames received before
    }
  }

  private static void read(Http2Peer peer, Counts counts) {
    try {
      for (Http2Peer.Frame frame = peer.next(); frame != null; frame = peer.next()) {
        if (frame.type() == Http2Peer.RST_STREAM) {
          (frame.error() == 0 ? counts.released : counts.refused).incrementAndGet();
        } else if (frame.type() == Http2Peer.GOAWAY) {
          counts.ended.incrementAndGet();
        }
      }
    } catch (IOException ended) {
      // the attack is over, or the server has ended the connection
    }
  }
}
