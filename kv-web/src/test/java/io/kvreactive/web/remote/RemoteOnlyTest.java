package io.kvreactive.web.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.EnqueueOptions;
import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.KvU64;
import io.kvreactive.QueueOptions;
import io.kvreactive.TransactionOptions;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Behaviour specific to remote stores: transactions without a snapshot, messages. */
@ExtendWith(VertxExtension.class)
class RemoteOnlyTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final KvKey A = KvKey.of("a");
  private static final KvKey B = KvKey.of("b");
  private static final TransactionOptions PATIENT =
      TransactionOptions.DEFAULT
          .withMaxAttempts(1000)
          .withBackoff(Duration.ofMillis(1), Duration.ofMillis(20));

  private Kv store;
  private Kv kv;

  @BeforeEach
  void open(Vertx vertx) {
    KvOptions options = KvOptions.inMemory().withName("behind-" + UUID.randomUUID());
    kv = get(RemoteStores.open(vertx, options));
    store = get(Kv.named(vertx, options.name()));
  }

  @AfterEach
  void close() {
    RemoteStores.close(kv).block(TIMEOUT);
  }

  private static <T> T get(Mono<T> mono) {
    T value = mono.block(TIMEOUT);
    if (value == null) {
      throw new AssertionError("empty");
    }
    return value;
  }

  private static int number(KvEntry<Integer> entry) {
    return entry.exists() ? entry.required() : 0;
  }

  @Test
  void showsOneVersionToATransactionBody() {
    get(store.atomic().set(A, 1).set(B, 1).commit());
    AtomicInteger calls = new AtomicInteger();
    Mono<Integer> both =
        kv.transact(
            tx ->
                tx.get(A, Integer.class)
                    .flatMap(
                        a ->
                            (calls.incrementAndGet() == 1
                                    ? store.atomic().set(A, 2).set(B, 2).commit()
                                    : Mono.just(true))
                                .then(tx.get(B, Integer.class))
                                .map(b -> 10 * number(a) + number(b))));
    assertThat(get(both)).isEqualTo(22);
    assertThat(calls).hasValue(2);
  }

  @Test
  void readsConcurrentlyAtOneVersionDespiteOtherWriters() {
    AtomicInteger next = new AtomicInteger();
    var writing =
        Mono.defer(
                () -> {
                  int value = next.incrementAndGet();
                  return store.atomic().set(A, value).set(B, value).commit();
                })
            .repeat()
            .subscribe();
    for (int i = 0; i < 50; i++) {
      Mono<Integer> difference =
          kv.transact(
              tx ->
                  Mono.zip(tx.get(A, Integer.class), tx.get(B, Integer.class))
                      .map(read -> number(read.getT1()) - number(read.getT2())),
              PATIENT);
      assertThat(get(difference).intValue()).isZero();
    }
    writing.dispose();
  }

  @Test
  void serializesConflictingTransactions() {
    Mono<Integer> move =
        kv.transact(
            tx ->
                tx.getMany(List.of(A, B), io.kvreactive.KvType.of(Integer.class))
                    .map(RemoteOnlyTest::number)
                    .collectList()
                    .map(
                        read -> {
                          tx.set(A, read.get(0) + 1).set(B, read.get(1) - 1);
                          return read.get(0) + read.get(1);
                        }),
            PATIENT);
    assertThat(get(Flux.range(0, 40).flatMap(i -> move, 8).collectList())).containsOnly(0);
    assertThat(get(store.get(A)).value()).isEqualTo(40);
    assertThat(get(store.get(B)).value()).isEqualTo(-40);
  }

  @Test
  void deliversMessagesOfAnyTypeIncludingBytes() {
    get(kv.queues().enqueue(new byte[] {1, 2, 3}, EnqueueOptions.DEFAULT));
    assertThat(get(next())).isEqualTo(new byte[] {1, 2, 3});
    get(kv.atomic().checkAbsent(A).enqueue("text", EnqueueOptions.DEFAULT).commit());
    assertThat(get(next())).isEqualTo("text");
    unsupported(kv.queues().enqueue("x", EnqueueOptions.to("mails")));
    unsupported(kv.queues().enqueue("x", EnqueueOptions.DEFAULT.withBackoff(List.of())));
    unsupported(kv.queues().listen(Object.class, QueueOptions.DEFAULT).next());
    assertThat(code(kv.queues().enqueue(KvU64.of(1), EnqueueOptions.DEFAULT)))
        .isEqualTo(KvErrorCode.INVALID_VALUE);
  }

  @Test
  void listsNothingIfItCannotWatch() {
    get(store.set(A, 1));
    unsupported(kv.listAndWatch(KvRange.all()).next());
  }

  private Mono<Object> next() {
    return store
        .queues()
        .listen(Object.class, QueueOptions.DEFAULT)
        .concatMap(message -> message.ack().thenReturn(message.required()), 1)
        .next();
  }

  private static void unsupported(Mono<?> call) {
    assertThat(code(call)).isEqualTo(KvErrorCode.UNSUPPORTED);
  }

  private static KvErrorCode code(Mono<?> call) {
    try {
      call.block(TIMEOUT);
    } catch (KvException e) {
      return e.code();
    }
    throw new AssertionError("no failure");
  }

  @Test
  void readsLargeValuesInSeveralRequests() {
    for (int i = 0; i < 15; i++) { // more than an answer may have
      get(store.set(KvKey.of("large", i), new byte[5 << 20]));
    }
    assertThat(
            get(
                kv.list(io.kvreactive.KvRange.prefix("large"), byte[].class)
                    .map(entry -> entry.required().length)
                    .collectList()))
        .hasSize(15)
        .containsOnly(5 << 20);
  }
}
