package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.EnqueueOptions;
import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvKey;
import io.kvreactive.KvLimits;
import io.kvreactive.KvMessage;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.KvU64;
import io.kvreactive.QueueOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/**
 * Queues: enqueueing, order, delays, redeliveries, and keys for undelivered messages.
 *
 * <p>A message is delivered at least once, and removed by an ack. Messages are as durable as
 * commits.
 */
public abstract class QueueContract extends KvContract {
  private static final KvKey DEAD = KvKey.of("dead");
  private static final EnqueueOptions ONCE = EnqueueOptions.DEFAULT.withBackoff();

  record Job(String name, int number) {}

  @Override
  protected KvOptions configured(KvOptions options) {
    return options.withLimits(
        KvLimits.DEFAULT
            .withMaxMessageBytes(100_000)
            .withMaxBackoffSteps(6)
            .withMaxUndeliveredKeys(3)
            .withMaxQueueNameBytes(20)
            .withMaxMutations(50));
  }

  /** Consumes and acks the given number of messages, and returns their values. */
  static List<Object> drain(Kv kv, String queue, int count) {
    return all(
        kv.queues()
            .listen(Object.class, QueueOptions.of(queue))
            .concatMap(m -> m.ack().thenReturn(String.valueOf(m.value())).<Object>map(x -> x), 0)
            .take(count)
            .timeout(TIMEOUT));
  }

  private static List<Object> numbers(int from, int to) {
    return IntStream.range(from, to).<Object>mapToObj(String::valueOf).toList();
  }

  private boolean isEmpty(String queue) {
    return all(kv.queues()
            .listen(Object.class, QueueOptions.of(queue))
            .take(Duration.ofMillis(30))
            .map(KvMessage::id))
        .isEmpty();
  }

  @Test
  public void deliversMessagesInTheOrderOfTheirCommits() {
    for (int i = 0; i < 50; i++) {
      get(kv.queues().enqueue(i));
    }
    assertThat(drain(kv, "", 50)).isEqualTo(numbers(0, 50));
    assertThat(isEmpty("")).isTrue();
  }

  @Test
  public void deliversMessagesOfOneCommitInItsOrder() {
    commit(c -> IntStream.range(0, 20).forEach(c::enqueue));
    assertThat(drain(kv, "", 20)).isEqualTo(numbers(0, 20));
  }

  @Test
  public void deliversMessagesOfAnyType() {
    List<Object> values =
        Arrays.asList(
            null, "text", 1.5, BigInteger.TEN, new KvU64(7), Map.of("a", 1), new byte[] {1, 2});
    values.forEach(value -> get(kv.queues().enqueue(value)));

    List<Object> seen = new ArrayList<>();
    kv.queues()
        .listen(Object.class)
        .concatMap(m -> m.ack().then(Mono.fromRunnable(() -> seen.add(m.value()))).thenReturn(1))
        .take(values.size())
        .blockLast(TIMEOUT);
    assertThat(seen).usingRecursiveComparison().isEqualTo(values);
  }

  @Test
  public void deliversMessagesOfVertx() {
    JsonObject json = new JsonObject().put("a", new JsonArray().add(1)).put("at", Instant.EPOCH);
    get(kv.queues().enqueue(json));
    assertThat(get(kv.queues().listen(JsonObject.class).next()).required()).isEqualTo(json);
  }

  @Test
  public void describesAMessage() {
    Instant before = Instant.now().minusSeconds(1);
    get(kv.queues().enqueue(new Job("a", 1), EnqueueOptions.to("jobs").withBackoff()));

    StepVerifier.create(kv.queues().listen(Job.class, QueueOptions.of("jobs")))
        .assertNext(
            m -> {
              assertThat(m.required()).isEqualTo(new Job("a", 1));
              assertThat(m.queue()).isEqualTo("jobs");
              assertThat(m.attempt()).isEqualTo(1);
              assertThat(m.lastAttempt()).isTrue();
              assertThat(m.id()).hasSize(24);
              assertThat(m.enqueuedAt()).isBetween(before, Instant.now().plusSeconds(1));
            })
        .thenCancel()
        .verify(TIMEOUT);
  }

  @Test
  public void wakesAWaitingConsumer() {
    StepVerifier.create(kv.queues().listen(String.class).map(KvMessage::required))
        .expectSubscription()
        .then(() -> get(kv.queues().enqueue("a")))
        .expectNext("a")
        .then(() -> get(kv.queues().enqueue("b")))
        .expectNext("b")
        .thenCancel()
        .verify(TIMEOUT);
  }

  @Test
  public void deliversDelayedMessagesWhenDue() {
    get(
        kv.queues()
            .enqueue("past", EnqueueOptions.DEFAULT.withDeliverAt(Instant.EPOCH.minusSeconds(1))));
    Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS); // as the store's clock
    get(kv.queues().enqueue("delayed", EnqueueOptions.DEFAULT.withDelay(Duration.ofMillis(400))));
    get(kv.queues().enqueue("late", EnqueueOptions.DEFAULT.withDeliverAt(now.plusMillis(300))));
    get(kv.queues().enqueue("middle", EnqueueOptions.DEFAULT.withDeliverAt(now.plusMillis(200))));
    get(kv.queues().enqueue("now"));
    reopen();

    // the position of "now" among the others depends on the elapsed time
    assertThat(drain(kv, "", 5))
        .containsExactlyInAnyOrder("past", "now", "middle", "late", "delayed")
        .containsSubsequence("past", "middle", "late", "delayed")
        .startsWith("past");
    assertThat(Instant.now()).isAfterOrEqualTo(now.plusMillis(400));
  }

  @Test
  public void countsTheDelayFromTheSubscription() {
    var commit =
        kv.atomic().enqueue("x", EnqueueOptions.DEFAULT.withDelay(Duration.ofMillis(200))).commit();
    Mono.delay(Duration.ofMillis(300)).block();
    long start = System.nanoTime();
    get(commit);
    drain(kv, "", 1);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(190));
  }

  @Test
  public void enqueuesTheMessageOfACommitOnlyIfItsChecksHold() {
    set(DEAD, 1);
    assertThat(get(kv.atomic().checkAbsent(DEAD).enqueue("no").commit()).committed()).isFalse();
    failure(kv.atomic().enqueue("no").sum(DEAD, 1).commit(), KvErrorCode.TYPE_MISMATCH);
    commit(c -> c.set(KvKey.of("a"), 1).enqueue("yes").commitId("once"));
    commit(c -> c.enqueue("yes").commitId("once"));

    assertThat(drain(kv, "", 1)).containsExactly("yes");
    assertThat(isEmpty("")).isTrue();
    assertThat(value(KvKey.of("a"))).isEqualTo(1);
  }

  @Test
  public void redeliversNackedMessagesByTheirBackoff() {
    Duration wait = Duration.ofMillis(60);
    get(kv.queues().enqueue("x", EnqueueOptions.DEFAULT.withBackoff(wait, wait)));
    get(kv.queues().enqueue("y"));

    List<String> seen =
        all(
            kv.queues()
                .listen(String.class)
                .concatMap(
                    m ->
                        ("x".equals(m.value()) && !m.lastAttempt() ? m.nack() : m.ack())
                            .thenReturn(m.value() + m.attempt() + m.lastAttempt()))
                .take(4)
                .timeout(TIMEOUT));
    assertThat(seen).containsExactly("x1false", "y1false", "x2false", "x3true");
    assertThat(isEmpty("")).isTrue();
  }

  @Test
  public void redeliversAfterTheDelayOfTheNack() {
    get(kv.queues().enqueue("x", EnqueueOptions.DEFAULT.withBackoff(Duration.ofHours(1))));

    List<Integer> attempts =
        all(
            kv.queues()
                .listen(String.class)
                .concatMap(
                    m ->
                        (m.attempt() == 1 ? m.nack(Duration.ZERO) : m.ack())
                            .thenReturn(m.attempt()))
                .take(2)
                .timeout(TIMEOUT));
    assertThat(attempts).containsExactly(1, 2);
  }

  @Test
  public void storesUndeliveredMessagesUnderTheirKeysAndNotifiesWatches() {
    set(DEAD, "old", Duration.ofHours(1));
    EnqueueOptions options =
        ONCE.withKeysIfUndelivered(DEAD, KvKey.of("dead", 2)).withQueue("poison");
    StepVerifier.create(kv.watch(DEAD).map(KvEntry::value))
        .expectNext("old")
        .then(() -> get(kv.queues().enqueue("bad", options)))
        .then(
            () ->
                kv.queues()
                    .listen(String.class, QueueOptions.of("poison"))
                    .concatMap(m -> m.nack().thenReturn(1))
                    .blockFirst(TIMEOUT))
        .expectNext("bad")
        .thenCancel()
        .verify(TIMEOUT);
    assertThat(value(KvKey.of("dead", 2))).isEqualTo("bad");
    assertThat(get(kv.get(DEAD)).expireAt()).isNull();
    reopen();
    assertThat(value(DEAD)).isEqualTo("bad");
    assertThat(isEmpty("poison")).isTrue();
  }

  private void set(KvKey key, Object value, Duration expireIn) {
    get(kv.set(key, value, expireIn));
  }

  @Test
  public void storesAnUnreadableMessageUnderItsKeysAndDeliversOthers() {
    get(kv.queues().enqueue("not a job", ONCE.withKeysIfUndelivered(DEAD)));
    get(kv.queues().enqueue(new Job("good", 2)));

    assertThat(get(kv.queues().listen(Job.class).map(KvMessage::required).next()))
        .isEqualTo(new Job("good", 2));
    get(kv.watch(DEAD).filter(entry -> "not a job".equals(entry.value())).next());
  }

  @Test
  public void separatesNamedQueues() {
    for (int i = 0; i < 10; i++) {
      get(kv.queues().enqueue("a" + i, EnqueueOptions.to("a")));
      get(kv.queues().enqueue("ab" + i, EnqueueOptions.to("ab")));
      get(kv.queues().enqueue("unnamed" + i));
    }
    assertThat(drain(kv, "ab", 10)).allMatch(m -> m.toString().startsWith("ab"));
    assertThat(drain(kv, "", 10)).allMatch(m -> m.toString().startsWith("unnamed"));
    assertThat(drain(kv, "a", 10)).allMatch(m -> m.toString().matches("a\\d"));
    assertThat(isEmpty("b")).isTrue();
  }

  @Test
  public void hidesQueuesFromKeyReads() {
    get(kv.queues().enqueue("x"));
    assertThat(all(kv.list(KvRange.all()))).isEmpty();
    assertThat(get(kv.count(KvRange.all()))).isZero();
    get(kv.deleteRange(KvRange.all()));
    assertThat(drain(kv, "", 1)).containsExactly("x");
  }

  @Test
  public void deliversEveryMessageToOneOfManyConsumers() {
    int count = 600;
    List<Object> seen = Collections.synchronizedList(new ArrayList<>());
    List<Disposable> consumers = new ArrayList<>();
    Flux<Object> consumed =
        Flux.range(0, 6)
            .flatMap(
                i ->
                    kv.queues()
                        .listen(Object.class, QueueOptions.DEFAULT.withMaxInFlight(i + 1))
                        .concatMap(
                            m -> m.ack().then(Mono.fromRunnable(() -> seen.add(m.required())))));
    consumers.add(consumed.subscribe());
    Flux.range(0, count).flatMap(i -> kv.queues().enqueue(i), 16).blockLast(TIMEOUT);
    Flux.interval(Duration.ofMillis(5)).filter(i -> seen.size() >= count).blockFirst(TIMEOUT);
    consumers.forEach(Disposable::dispose);

    assertThat(seen).hasSize(count).doesNotHaveDuplicates();
    assertThat(isEmpty("")).isTrue();
  }

  @Test
  public void keepsUnconsumedMessagesAfterReopening() {
    for (int i = 0; i < 30; i++) {
      get(kv.queues().enqueue(i));
    }
    assertThat(drain(kv, "", 10)).isEqualTo(numbers(0, 10));
    settle();
    reopen();
    assertThat(drain(kv, "", 10)).isEqualTo(numbers(10, 20));
    reopen();
    settle();
    assertThat(drain(kv, "", 10)).isEqualTo(numbers(20, 30));
    reopen();
    assertThat(isEmpty("")).isTrue();
  }

  @Test
  public void consumesLongQueuesInOrder() {
    int count = tries(2500, 5000); // more than twice the in-memory window of a queue
    for (int i = 0; i < count; i += 50) {
      int from = i;
      commit(c -> IntStream.range(from, from + 50).forEach(c::enqueue));
    }
    settle();
    List<Object> seen =
        all(
            kv.queues()
                .listen(Object.class)
                .flatMapSequential(
                    m -> m.ack().thenReturn(String.valueOf(m.value())).<Object>map(x -> x), 64)
                .take(count)
                .timeout(TIMEOUT));
    assertThat(seen).isEqualTo(numbers(0, count));
  }

  @Test
  public void checksLimits() {
    failure(kv.queues().enqueue(new byte[100_001]), KvErrorCode.LIMIT_EXCEEDED);
    failure(kv.queues().enqueue(1, EnqueueOptions.to("x".repeat(21))), KvErrorCode.LIMIT_EXCEEDED);
    failure(
        kv.queues().listen(Object.class, QueueOptions.of("x".repeat(21))),
        KvErrorCode.LIMIT_EXCEEDED);
    EnqueueOptions options = EnqueueOptions.DEFAULT;
    get(kv.queues().enqueue(1, options.withDelay(Duration.ofDays(30))));
    failure(
        kv.queues().enqueue(1, options.withDelay(Duration.ofDays(30).plusSeconds(1))),
        KvErrorCode.LIMIT_EXCEEDED);
    failure(
        kv.queues().enqueue(1, options.withDeliverAt(Instant.now().plus(Duration.ofDays(31)))),
        KvErrorCode.LIMIT_EXCEEDED);
    failure(
        kv.queues().enqueue(1, options.withBackoff(Collections.nCopies(7, Duration.ZERO))),
        KvErrorCode.LIMIT_EXCEEDED);
    assertThat(
            failure(
                kv.queues().enqueue(1, options.withBackoff(Duration.ZERO, Duration.ofDays(2))),
                KvErrorCode.LIMIT_EXCEEDED))
        .hasMessageContaining("backoff[1]");
    failure(
        kv.queues().enqueue(1, options.withKeysIfUndelivered(Collections.nCopies(4, DEAD))),
        KvErrorCode.LIMIT_EXCEEDED);
    failure(
        kv.queues().enqueue(1, options.withKeysIfUndelivered(KvKey.of("x".repeat(2048)))),
        KvErrorCode.LIMIT_EXCEEDED);
    failure(
        kv.queues().enqueue(1, options.withKeysIfUndelivered(KvKey.of())), KvErrorCode.INVALID_KEY);
    var operation = kv.atomic();
    IntStream.range(0, 51).forEach(operation::enqueue);
    failure(operation.commit(), KvErrorCode.LIMIT_EXCEEDED);
    failure(kv.queues().enqueue(new Broken()), KvErrorCode.INVALID_VALUE);
    assertThat(isEmpty("")).isTrue();
  }

  @Test
  public void rejectsNamesWithLoneSurrogates() {
    for (String name : List.of("\ud800", "a\udc00b")) { // all of them would be equal in UTF-8
      failure(kv.queues().enqueue("x", EnqueueOptions.to(name)), KvErrorCode.INVALID_ARGUMENT);
      failure(
          kv.atomic().set(KvKey.of("a"), 1).commitId(name).commit(), KvErrorCode.INVALID_ARGUMENT);
    }
    get(kv.queues().enqueue("x", EnqueueOptions.to("\ud83d\ude00").withBackoff()));
    assertThat(drain(kv, "\ud83d\ude00", 1)).containsExactly("x");
  }
}
