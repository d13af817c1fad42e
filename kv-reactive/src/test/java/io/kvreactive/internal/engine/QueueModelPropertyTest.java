package io.kvreactive.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvValue;
import io.kvreactive.internal.store.file.FileDisk;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.Finish;
import io.kvreactive.spi.LeaseToken;
import io.kvreactive.spi.LeasedMessage;
import io.kvreactive.spi.QueueStats;
import io.kvreactive.testing.ShortTries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * Any schedule of enqueues, claims, acks, nacks, extensions, passing time, crashes and restarts has
 * the same effect on queues and on the model. Waits are odd multiples of ten minutes and time
 * passes in multiples of twenty, so that the drift of the store's clock does not matter.
 */
class QueueModelPropertyTest {
  private static final long STEP = 1_200_000;
  private static final List<String> QUEUES = List.of("", "named");

  sealed interface Step {}

  record Put(String queue, int count, long delay, List<Long> backoff, boolean key)
      implements Step {}

  record Take(String queue, int max, long lease) implements Step {}

  record End(int which, Finish how) implements Step {}

  record Extend(int which, long lease) implements Step {}

  record GiveUp(int which) implements Step {}

  record Pass(int steps) implements Step {}

  record Reopen(boolean crash) implements Step {}

  private static Arbitrary<Long> waits() {
    return Arbitraries.of(600_000L, 1_800_000L, 3_000_000L);
  }

  private static Arbitrary<Integer> which() {
    return Arbitraries.integers().between(0, 30);
  }

  @Provide
  static Arbitrary<List<Step>> schedules() {
    Arbitrary<String> queues = Arbitraries.of(QUEUES);
    Arbitrary<Integer> counts = Arbitraries.integers().between(1, 5);
    Arbitrary<Step> puts =
        Combinators.combine(
                queues,
                counts,
                Arbitraries.oneOf(Arbitraries.just(0L), waits()),
                waits().list().ofMaxSize(2),
                Arbitraries.of(true, false))
            .as(Put::new);
    Arbitrary<Step> takes = Combinators.combine(queues, counts, waits()).as(Take::new);
    Arbitrary<Finish> hows =
        Arbitraries.of(
            new Finish.Ack(),
            new Finish.Ack(),
            new Finish.Retry(null),
            new Finish.Retry(600_000L),
            new Finish.Release());
    Arbitrary<Step> ends = Combinators.combine(which(), hows).as(End::new);
    Arbitrary<Step> extends_ = Combinators.combine(which(), waits()).as(Extend::new);
    Arbitrary<Step> passes = Arbitraries.integers().between(1, 3).map(Pass::new);
    return Arbitraries.<Step>frequencyOf(
            net.jqwik.api.Tuple.of(5, puts),
            net.jqwik.api.Tuple.of(6, takes),
            net.jqwik.api.Tuple.of(8, ends),
            net.jqwik.api.Tuple.of(2, extends_),
            net.jqwik.api.Tuple.of(1, which().map(GiveUp::new)),
            net.jqwik.api.Tuple.of(4, passes),
            net.jqwik.api.Tuple.of(1, Arbitraries.of(true, false).map(Reopen::new)))
        .list()
        .ofMinSize(1)
        .ofMaxSize(60);
  }

  @Property(tries = 150)
  @ShortTries(50)
  void behavesLikeTheModel(@ForAll("schedules") List<Step> steps) throws IOException {
    Path directory = Files.createTempDirectory("queue-model");
    Run run = new Run(new ManualQueues(directory, new FileDisk()));
    try {
      steps.forEach(run::step);
      run.verify();
    } finally {
      run.real.close();
      try (Stream<Path> files = Files.walk(directory)) {
        files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
      }
    }
  }

  private record Waiting(Take take, Disposable.Swap claim) {}

  private static final class Run {
    final ManualQueues real;
    private final QueueModel model = new QueueModel();
    private final List<LeaseToken> tokens = new ArrayList<>();
    private final List<Waiting> waiting = new ArrayList<>();

    Run(ManualQueues real) {
      this.real = real;
    }

    void step(Step step) {
      if (step instanceof Put put) {
        put(put);
      } else if (step instanceof Take take) {
        take(take);
      } else if (step instanceof End end && !tokens.isEmpty()) {
        end(tokens.get(end.which % tokens.size()), end.how);
      } else if (step instanceof Extend extend && !tokens.isEmpty()) {
        extend(tokens.get(extend.which % tokens.size()), extend.lease);
      } else if (step instanceof GiveUp giveUp && !waiting.isEmpty()) {
        waiting.remove(giveUp.which % waiting.size()).claim.dispose();
        real.run();
      } else if (step instanceof Pass pass) {
        for (int i = 0; i < pass.steps; i++) {
          // before the first delivery
          model.pass(real.now() + STEP);
          real.pass(STEP);
        }
      } else if (step instanceof Reopen reopen) {
        reopen(reopen.crash);
      }
      for (Waiting left : waiting) {
        assertThat(model.due(left.take.queue, real.now())).as("a consumer waits").isEmpty();
      }
    }

    private void put(Put put) {
      List<Enqueue> enqueues = new ArrayList<>();
      for (int i = 0; i < put.count && model.messages.size() < 250; i++) {
        int number = model.messages.size();
        KvValue payload = new KvValue(KvValue.Encoding.BYTES, new byte[] {(byte) number});
        List<byte[]> keys = put.key ? List.of(key(number)) : List.of();
        long at = put.delay == 0 ? 0 : real.now() + put.delay;
        enqueues.add(new Enqueue(put.queue, payload, at, put.backoff, keys));
        model.messages.put(
            number,
            new QueueModel.Message(
                number, put.queue, put.backoff, put.key, real.now() + put.delay));
      }
      real.commit(new Commit(List.of(), List.of(), List.of(), enqueues, null));
    }

    private static byte[] key(int number) {
      return KvKey.of("dead", number).bytes();
    }

    private void take(Take take) {
      Disposable.Swap claim = Disposables.swap();
      Waiting me = new Waiting(take, claim);
      waiting.add(me);
      claim.update(
          real.queues
              .claim(take.queue, take.max, take.lease)
              .subscribe(b -> taken(me, b), closed -> {}));
      real.run();
    }

    private void taken(Waiting me, List<LeasedMessage> batch) {
      Waiting first =
          waiting.stream()
              .filter(w -> w.take.queue.equals(me.take.queue))
              .findFirst()
              .orElseThrow();
      assertThat(first).as("first come, first served").isSameAs(me);
      waiting.remove(me);
      model.delivered(batch, me.take.queue, me.take.max, real.now(), me.take.lease);
      batch.forEach(leased -> tokens.add(leased.token()));
    }

    private void end(LeaseToken token, Finish how) {
      QueueModel.Message message = model.leasedBy(token);
      boolean again = how instanceof Finish.Ack && model.ackedBy(token);
      if (message != null) { // before waiting consumers are served
        if (how instanceof Finish.Ack) {
          message.where = QueueModel.Where.ACKED;
          message.ackedBy = token;
        } else if (how instanceof Finish.Retry retry) {
          message.retry(real.now(), retry.afterMillis());
        } else {
          message.where = QueueModel.Where.READY;
        }
      }
      KvException failure = real.failure(real.queues.finish(token, how));
      if (message != null || again) {
        assertThat(failure).isNull();
      } else {
        assertThat(failure).isNotNull();
        assertThat(failure.code()).isEqualTo(KvErrorCode.LEASE_LOST);
      }
    }

    private void extend(LeaseToken token, long lease) {
      QueueModel.Message message = model.leasedBy(token);
      List<LeaseToken> lost = new ArrayList<>();
      assertThat(
              real.failure(real.queues.extend(List.of(token), lease).doOnNext(lost::addAll).then()))
          .isNull();
      assertThat(lost.isEmpty()).isEqualTo(message != null);
      if (message != null) {
        message.deadline = real.now() + lease;
      }
    }

    private void reopen(boolean crash) {
      waiting.clear();
      model.reopened(crash, real.now());
      try {
        real.reopen(crash);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }

    void verify() {
      List<QueueStats> stats = real.stats();
      for (String queue : QUEUES) {
        long depth = model.depth(queue);
        long told =
            stats.stream().filter(s -> s.queue().equals(queue)).mapToLong(QueueStats::depth).sum();
        assertThat(told).as("depth of %s", queue).isEqualTo(depth);
        int ready = model.due(queue, real.now()).size();
        int counted =
            stats.stream().filter(s -> s.queue().equals(queue)).mapToInt(QueueStats::ready).sum();
        assertThat(counted).as("ready in %s", queue).isEqualTo(ready);
      }
      IntStream.range(0, model.messages.size())
          .forEach(
              number -> {
                QueueModel.Message message = model.messages.get(number);
                boolean dead = message.where == QueueModel.Where.DEAD && message.hasKey;
                assertThat(real.value(key(number)))
                    .isEqualTo(dead ? new byte[] {(byte) number} : null);
              });
    }
  }
}
