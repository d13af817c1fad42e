package io.kvreactive.web.internal.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Shares of a budget: what they take, wait for and return. */
class ByteBudgetTest {
  private final ByteBudget all = new ByteBudget("all", 100);
  private final CallerBudgets callers = new CallerBudgets(all, "one caller", 60);
  private final List<String> served = new ArrayList<>();

  private ByteBudget.Share waits(String caller, long bytes) {
    ByteBudget.Share share = callers.share(caller);
    share.takeWhenFree(bytes, () -> served.add(caller + bytes));
    return share;
  }

  @Test
  void takesAtOnceWhatIsFree() {
    waits("a", 60);
    assertThat(served).containsExactly("a60");
    assertThat(all.taken()).isEqualTo(60);
  }

  @Test
  void servesThoseThatWaitInTheirOrder() {
    ByteBudget.Share held = callers.share("a");
    held.take(60);
    waits("a", 50);
    waits("a", 10);
    held.give(20);
    assertThat(served).as("the first one wants 50").isEmpty();
    held.give(40);
    assertThat(served).containsExactly("a50", "a10");
  }

  @Test
  void smallWishesOvertakeALargeOneForAWhile() {
    long many = 2 * ByteBudget.MANY_BYTES;
    ByteBudget budget = new ByteBudget("all", many);
    ByteBudget.Share held = budget.share();
    held.take(many - 1);
    budget.share().takeWhenFree(many - 1, () -> served.add("many"));
    for (int i = 0; i < ByteBudget.MAX_OVERTAKING + 1; i++) {
      ByteBudget.Share small = budget.share();
      small.takeWhenFree(
          1,
          () -> {
            served.add("1");
            small.release();
          });
    }
    assertThat(served).hasSize(ByteBudget.MAX_OVERTAKING).containsOnly("1");
    held.release();
    assertThat(served).hasSize(ByteBudget.MAX_OVERTAKING + 2).endsWith("many", "1");
  }

  @Test
  void aCallerWhoWaitsForItsOwnPartDoesNotKeepOthersWaiting() {
    callers.share("a").take(60);
    waits("a", 1);
    waits("b", 40);
    assertThat(served).containsExactly("b40");
  }

  @Test
  void callersTakeTurns() {
    ByteBudget.Share held = all.share();
    held.take(100);
    for (int i = 1; i <= 3; i++) {
      waits("a", i);
      waits("b", i);
    }
    held.release();
    assertThat(served).containsExactly("a1", "b1", "a2", "b2", "a3", "b3");
  }

  @Test
  void aReleasedShareWaitsNoMore() {
    ByteBudget.Share held = all.share();
    held.take(100);
    ByteBudget.Share gone = waits("a", 60);
    waits("a", 60);
    gone.release();
    held.release();
    assertThat(served).containsExactly("a60");
    assertThat(all.taken()).isEqualTo(60);
  }

  @Test
  void refusesMoreThanThereIsAtMost() {
    ByteBudget.Share share = callers.share("a");
    assertThatThrownBy(() -> share.takeWhenFree(61, () -> {}))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.LIMIT_EXCEEDED));
    share.take(60);
    assertThat(share.tryTake(1)).isFalse();
    assertThat(callers.share("b").tryTake(40)).isTrue();
    share.give(1);
    assertThatThrownBy(() -> callers.share("b").take(2)).hasMessageContaining("all: ");
  }

  /** Each waits for bytes that others return, so a lost wake-up would stop one for ever. */
  @Test
  void servesAllOfManyThreads() throws InterruptedException {
    int rounds = 2_000;
    CountDownLatch done = new CountDownLatch(8 * rounds);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      for (int i = 0; i < 8; i++) {
        round("caller" + i % 3, rounds, done, threads);
      }
      assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      threads.shutdown();
    }
    assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    assertThat(all.taken()).isZero();
  }

  /**
   * A request of more than is free takes bytes of its caller for a moment. A share of the same
   * caller that begins to wait at that moment gets its bytes, although none are returned later.
   */
  @Test
  void servesAShareThatBeganToWaitWhileAnotherWasRefused() throws Exception {
    all.share().take(50);
    ByteBudget.Share large = callers.share("a");
    for (int i = 0; i < 5; i++) {
      servesWhile(() -> assertThat(large.tryTake(60)).isFalse());
      servesWhile(() -> assertThatThrownBy(() -> large.take(60)).isInstanceOf(KvException.class));
    }
  }

  /** Begins to wait again and again, until a share has missed its bytes while others attempt. */
  private void servesWhile(Runnable attempt) throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    CountDownLatch attempted = new CountDownLatch(1);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    Future<?> attempts =
        thread.submit(
            () -> {
              while (!over.get()) {
                attempt.run();
                attempted.countDown();
              }
            });
    AtomicInteger granted = new AtomicInteger();
    try {
      assertThat(attempted.await(60, TimeUnit.SECONDS)).isTrue();
      ByteBudget.Share small = callers.share("a");
      small.takeWhenFree(10, granted::incrementAndGet);
      for (int i = 1; i < 1_000_000 && granted.get() == i; i++) {
        small.release();
        small = callers.share("a");
        small.takeWhenFree(10, granted::incrementAndGet);
      }
      over.set(true);
      attempts.get(60, TimeUnit.SECONDS);
      assertThat(small.taken()).as("bytes of the share that began to wait").isEqualTo(10);
      small.release();
    } finally {
      over.set(true);
      thread.shutdown();
    }
  }

  private void round(String caller, int left, CountDownLatch done, ExecutorService threads) {
    if (left == 0) {
      return;
    }
    ByteBudget.Share share = callers.share(caller);
    share.takeWhenFree(
        1 + ThreadLocalRandom.current().nextInt(60),
        () ->
            threads.execute(
                () -> {
                  share.release();
                  round(caller, left - 1, done, threads);
                  done.countDown();
                }));
  }
}
