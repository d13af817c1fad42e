package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.function.Executable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import org.reactivestreams.tck.PublisherVerification;
import org.reactivestreams.tck.TestEnvironment;
import org.testng.SkipException;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/**
 * The Reactive Streams compatibility kit. It is written for TestNG, which does not run beside
 * JUnit; so its methods are called from here, each on a verification of its own.
 */
@ExtendWith(VertxExtension.class)
class PublisherTckTest {
  private static final int KEYS = 1000;
  private static Vertx vertx;
  private static Kv kv;

  @BeforeAll
  static void open(Vertx vertx) {
    PublisherTckTest.vertx = vertx;
    kv = Kv.open(vertx, KvOptions.inMemory().withName("tck")).block();
    Flux.range(0, KEYS).flatMap(i -> kv.set(KvKey.of("n", i), i)).blockLast();
  }

  @AfterAll
  static void close() {
    kv.close().block();
  }

  /** A list of the requested number of entries. */
  static final class ListVerification extends KvVerification<KvEntry<Object>> {
    ListVerification(long patience) {
      super(patience);
    }

    @Override
    public Publisher<KvEntry<Object>> createPublisher(long elements) {
      return elements == 0
          ? kv.list(KvRange.prefix("nothing"))
          : kv.list(KvRange.prefix("n"), ListOptions.DEFAULT.withLimit(elements));
    }

    @Override
    public Publisher<KvEntry<Object>> createFailedPublisher() {
      return kv.list(KvRange.prefix("n"), ListOptions.DEFAULT.withCursor("!"));
    }
  }

  /** A getMany of the requested number of keys. */
  static final class GetManyVerification extends KvVerification<KvEntry<Object>> {
    GetManyVerification(long patience) {
      super(patience);
    }

    @Override
    public Publisher<KvEntry<Object>> createPublisher(long elements) {
      return kv.getMany(Collections.nCopies((int) elements, KvKey.of("n", 1)));
    }

    @Override
    public Publisher<KvEntry<Object>> createFailedPublisher() {
      Kv closed = Kv.named(vertx, "tck").block();
      closed.close().block();
      return closed.getMany(Collections.nCopies(3, KvKey.of("n")));
    }
  }

  /** A watch that never ends, of a key that is written as fast as that goes. */
  static final class WatchVerification extends KvVerification<Object> {
    WatchVerification(long patience) {
      super(patience);
    }

    @Override
    public long maxElementsFromPublisher() {
      return publisherUnableToSignalOnComplete();
    }

    @Override
    public Publisher<Object> createPublisher(long elements) {
      KvKey key = KvKey.of("watched");
      return Flux.defer(
          () -> {
            writers.add(kv.set(key, 1).repeat().onErrorComplete().subscribe(ignored -> {}));
            return kv.watch(key).map(state -> (Object) state);
          });
    }

    @Override
    public Publisher<Object> createFailedPublisher() {
      return kv.watch(KvKey.of("x".repeat(5000))).map(state -> state);
    }
  }

  /** A feed that never ends, of a range that is written as fast as that goes. */
  static final class ChangesVerification extends KvVerification<Object> {
    ChangesVerification(long patience) {
      super(patience);
    }

    @Override
    public long maxElementsFromPublisher() {
      return publisherUnableToSignalOnComplete();
    }

    @Override
    public Publisher<Object> createPublisher(long elements) {
      KvKey key = KvKey.of("followed");
      return Flux.defer(
          () -> {
            writers.add(kv.set(key, 1).repeat().onErrorComplete().subscribe(ignored -> {}));
            return kv.changes(KvRange.single(key)).map(commit -> (Object) commit);
          });
    }

    @Override
    public Publisher<Object> createFailedPublisher() {
      return kv.changes(KvRange.all(), Versionstamp.of(Long.MAX_VALUE)).map(commit -> commit);
    }
  }

  /** The messages of a queue that is filled at full speed and never acked. */
  static final class QueueVerification extends KvVerification<KvMessage<Object>> {
    QueueVerification(long patience) {
      super(patience);
    }

    @Override
    public long maxElementsFromPublisher() {
      return publisherUnableToSignalOnComplete();
    }

    @Override
    public Publisher<KvMessage<Object>> createPublisher(long elements) {
      String queue = UUID.randomUUID().toString();
      QueueOptions options = QueueOptions.of(queue).withMaxInFlight(1_000_000);
      return Flux.defer(
          () -> {
            EnqueueOptions to = EnqueueOptions.to(queue);
            writers.add(kv.enqueue(1, to).repeat().onErrorComplete().subscribe(ignored -> {}));
            return kv.listenQueue(Object.class, options);
          });
    }

    @Override
    public Publisher<KvMessage<Object>> createFailedPublisher() {
      return kv.listenQueue(Object.class, QueueOptions.of("x".repeat(5000)));
    }
  }

  /** Base of the verifications, with timeouts for signals that must not arrive. */
  abstract static class KvVerification<T> extends PublisherVerification<T> {
    /** Writers to dispose after each test, because not every test of the TCK cancels. */
    final Queue<Disposable> writers = new ConcurrentLinkedQueue<>();

    /**
     * @param patience milliseconds that the kit waits for what should come
     */
    KvVerification(long patience) {
      super(new TestEnvironment(patience, 50), 100);
    }

    /** Like the kit's, which allows the collector and the store's threads no more than 100 ms. */
    @Override
    @org.testng.annotations.Test
    public void
        required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber() {
      WeakReference<?> dropped = subscribedAndCancelled(createPublisher(3));
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (dropped.get() != null) {
        assertThat(System.nanoTime()).as("the subscriber is still held").isLessThan(deadline);
        System.gc();
      }
    }

    private static <T> WeakReference<?> subscribedAndCancelled(Publisher<T> publisher) {
      CompletableFuture<T> first = new CompletableFuture<>();
      BaseSubscriber<T> subscriber =
          new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
              request(1);
            }

            @Override
            protected void hookOnNext(T element) {
              first.complete(element);
            }
          };
      publisher.subscribe(subscriber);
      assertThat(first.orTimeout(60, TimeUnit.SECONDS).join()).isNotNull();
      subscriber.cancel();
      return new WeakReference<>(subscriber);
    }

    @Override
    public long maxElementsFromPublisher() {
      return KEYS;
    }
  }

  @TestFactory
  List<DynamicContainer> publishersFollowTheSpecification() {
    return List.of(
        tests("list", ListVerification::new),
        tests("getMany", GetManyVerification::new),
        tests("watch", WatchVerification::new),
        tests("changes", ChangesVerification::new),
        tests("queue", QueueVerification::new));
  }

  private static DynamicContainer tests(String name, LongFunction<KvVerification<?>> kit) {
    return DynamicContainer.dynamicContainer(
        name,
        Arrays.stream(kit.apply(0).getClass().getMethods())
            .filter(method -> method.isAnnotationPresent(org.testng.annotations.Test.class))
            .sorted(Comparator.comparing(Method::getName))
            .map(method -> DynamicTest.dynamicTest(method.getName(), test(kit, method)))
            .toList());
  }

  private static Executable test(LongFunction<KvVerification<?>> kit, Method method) {
    if (!method.getName().contains("spec309")) {
      return () -> run(kit.apply(60_000), method);
    }
    // these wait as long again for what should not come: all of them at the same time
    FutureTask<Void> waits = new FutureTask<>(() -> run(kit.apply(5_000), method));
    new Thread(waits, method.getName()).start();
    return waits::get;
  }

  private static @Nullable Void run(KvVerification<?> verification, Method method)
      throws Exception {
    verification.setUp();
    try {
      method.invoke(verification);
      return null;
    } catch (InvocationTargetException e) {
      Assumptions.assumeFalse(
          e.getCause() instanceof SkipException, () -> String.valueOf(e.getCause().getMessage()));
      if (e.getCause() instanceof Error failed) {
        throw failed;
      }
      throw e;
    } finally {
      verification.writers.forEach(Disposable::dispose);
    }
  }
}
