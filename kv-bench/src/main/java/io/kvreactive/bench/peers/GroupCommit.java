package io.kvreactive.bench.peers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Durable sets of one entry on a peer, by one thread that stores all waiting sets in one
 * transaction: the same group commit for each peer that has none of its own.
 */
final class GroupCommit implements AutoCloseable {
  private record Waiting(Peer.Entry entry, MonoSink<Boolean> answer) {}

  private final Peer peer;
  private final BlockingQueue<Waiting> queue = new LinkedBlockingQueue<>();
  private final Thread writer = new Thread(this::run, "bench-group-commit");

  /** Creates a group commit and starts its thread. */
  GroupCommit(Peer peer) {
    this.peer = peer;
    writer.start();
  }

  /** Emits true when the entry is durable. */
  Mono<Boolean> set(byte[] key, byte[] value) {
    return Mono.create(answer -> queue.add(new Waiting(new Peer.Entry(key, value), answer)));
  }

  private void run() {
    List<Waiting> group = new ArrayList<>();
    try {
      while (true) {
        group.add(queue.take());
        queue.drainTo(group);
        peer.put(group.stream().map(Waiting::entry).toList());
        group.forEach(waiting -> waiting.answer().success(true));
        group.clear();
      }
    } catch (InterruptedException e) {
      // closed
    } catch (Exception e) {
      group.forEach(waiting -> waiting.answer().error(e));
    }
  }

  @Override
  public void close() {
    writer.interrupt();
    try {
      writer.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
