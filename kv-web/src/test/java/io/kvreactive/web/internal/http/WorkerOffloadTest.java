package io.kvreactive.web.internal.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class WorkerOffloadTest {
  private static final int TASKS = 60;

  @Test
  void limitsConcurrencyAndCompletesAllTasksDespiteFailures(Vertx vertx) throws Exception {
    WorkerOffload offload = new WorkerOffload(vertx, 2);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<Future<Integer>> all = new ArrayList<>();
    for (int i = 0; i < TASKS; i++) {
      int number = i;
      all.add(
          offload.run(
              () -> {
                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                for (int spin = 0; spin < 20; spin++) {
                  Thread.yield(); // so that other tasks would run concurrently if that were allowed
                }
                running.decrementAndGet();
                if (number % 3 == 0) {
                  throw new IllegalStateException("number " + number);
                }
                return number;
              }));
    }
    Future.join(all)
        .otherwiseEmpty()
        .toCompletionStage()
        .toCompletableFuture()
        .get(60, TimeUnit.SECONDS);
    assertThat(most.get()).isBetween(1, 2);
    assertThat(all.stream().filter(Future::failed)).hasSize(TASKS / 3);
  }
}
