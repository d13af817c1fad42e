package io.kvreactive.postgres.crash;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.QueueOptions;
import io.kvreactive.postgres.PostgresOptions;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * Commits in sequence and leases the messages of a queue endlessly. Prints {@code leased} for each
 * message and {@code committed} for each acknowledged commit. Exits at the end of its input.
 */
final class PausedEngineChild {
  static final KvKey COUNTER = KvKey.of("counter");
  static final QueueOptions QUEUE = QueueOptions.of("work").withLease(Duration.ofSeconds(2));

  private PausedEngineChild() {}

  /**
   * @param args URL and schema
   */
  public static void main(String[] args) throws IOException {
    Vertx vertx = Vertx.vertx();
    Kv kv = Kv.open(vertx, PostgresOptions.at(args[0]).withSchema(args[1])).block();
    Disposable consumer =
        kv.queues().listen(String.class, QUEUE).subscribe(message -> System.out.println("leased"));
    AtomicBoolean stopped = new AtomicBoolean();
    Mono<Void> commits =
        Mono.defer(() -> kv.atomic().sum(COUNTER, 1).commit())
            .doOnNext(done -> System.out.println("committed"))
            .repeat(() -> !stopped.get())
            .then()
            .cache();
    commits.subscribe();
    System.in.read();
    stopped.set(true);
    commits.block();
    consumer.dispose();
    kv.close().block();
    vertx.close().toCompletionStage().toCompletableFuture().orTimeout(1, TimeUnit.MINUTES).join();
  }
}
