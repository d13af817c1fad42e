package io.kvreactive.crash;

import io.kvreactive.EnqueueOptions;
import io.kvreactive.Kv;
import io.kvreactive.KvMessage;
import io.kvreactive.KvOptions;
import io.kvreactive.QueueOptions;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The process under test: enqueues numbers endlessly while several consumers handle them, and
 * prints the enqueued, delivered and acked numbers once they are answered. See {@link
 * QueueKillTest}.
 */
final class QueueKillChild {
  static final String QUEUE = "jobs";
  static final int PRODUCERS = 8;

  /** More attempts than kills. */
  static final List<Duration> BACKOFF = Collections.nCopies(100, Duration.ofMillis(1));

  private static final int CONSUMERS = 3;
  private static final int CONCURRENCY = 5;

  private QueueKillChild() {}

  public static void main(String[] args) {
    Vertx vertx = Vertx.vertx();
    Kv kv = Kv.open(vertx, KvOptions.at(Path.of(args[0])).withMemoryBytes(1 << 20)).block();
    int from = Integer.parseInt(args[1]);
    System.out.println("open");
    Flux<Integer> consumed =
        Flux.range(0, CONSUMERS)
            .flatMap(
                i ->
                    kv.queues()
                        .listen(Integer.class, QueueOptions.of(QUEUE))
                        .flatMap(m -> handle(m), CONCURRENCY, 1));
    EnqueueOptions options = EnqueueOptions.to(QUEUE).withBackoff(BACKOFF);
    Flux<Integer> produced =
        Flux.range(from, 10_000_000)
            .flatMap(
                n ->
                    kv.queues()
                        .enqueue(n, options)
                        .doOnNext(stamp -> System.out.println("enqueued " + n))
                        .thenReturn(n),
                PRODUCERS);
    Flux.merge(consumed, produced).blockLast();
  }

  /** Handles some messages only at the next delivery, and some slowly. */
  private static Mono<Integer> handle(KvMessage<Integer> message) {
    int number = message.required();
    System.out.println("delivered " + number + " " + message.attempt());
    Mono<Void> finish =
        number % 10 == 3 && message.attempt() == 1
            ? message.nack()
            : message.ack().doOnSuccess(x -> System.out.println("acked " + number));
    Mono<?> work = number % 7 == 0 ? Mono.delay(Duration.ofMillis(5)) : Mono.empty();
    return work.then(finish).thenReturn(number);
  }
}
