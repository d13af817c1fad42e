package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
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
class PublisherTckTest {
  private static final int KEYS = 1000;
  private static Vertx vertx;
  private static Kv kv;

  /** How long the kit waits for what should come. */
  private static volatile long patienceMillis;

  /** They end with the test, because not every test of the kit cancels. */
  private static final Queue<Disposable> WRITERS = new ConcurrentLinkedQueue<>();

  @BeforeAll
  static void open() {
    vertx = Vertx.vertx();
    kv = Kv.open(vertx, KvOptions.inMemory().withName("tck")).block();
    Flux.range(0, KEYS).flatMap(i -> kv.set(KvKey.of("n", i), i)).blockLast();
  }

  @AfterAll
  static void close() {
    kv.close().block();
    vertx.close().await();
  }

  /** A list of so many entries. */
  static final class ListVerification extends KvVerification<KvEntry<Object>> {
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

  /** A getMany of so many keys. */
  static final class GetManyVerification extends KvVerification<KvEntry<Object>> {
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
    @Override
    public long maxElementsFromPublisher() {
      return publisherUnableToSignalOnComplete();
    }

    @Override
    public Publisher<Object> createPublisher(long elements) {
      KvKey key = KvKey.of("watched");
      return Flux.defer(
          () -> {
            WRITERS.add(kv.set(key, 1).repeat().onErrorComplete().subscribe(ignored -> {}));
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
    @Override
    public long maxElementsFromPublisher() {
      return publisherUnableToSignalOnComplete();
    }

    @Override
    public Publisher<Object> createPublisher(long elements) {
      KvKey key = KvKey.of("followed");
      return Flux.defer(
          () -> {
            WRITERS.add(kv.set(key, 1).repeat().onErrorComplete().subscribe(ignored -> {}));
            return kv.changes(KvRange.single(key)).map(commit -> (Object) commit);
          });
    }

    @Override
    public Publisher<Object> createFailedPublisher() {
      return kv.changes(KvRange.all(), Versionstamp.of(Long.MAX_VALUE)).map(commit -> commit);
    }
  }

  /** The messages of a queue that is filled as fast as that goes, and none is acked. */
  static final class QueueVerification extends KvVerification<KvMessage<Object>> {
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
            WRITERS.add(kv.enqueue(1, to).repeat().onErrorComplete().subscribe(ignored -> {}));
            return kv.listenQueue(Object.class, options);
          });
    }

    @Override
    public Publisher<KvMessage<Object>> createFailedPublisher() {
      return kv.listenQueue(Object.class, QueueOptions.of("x".repeat(5000)));
    }
  }

  /** With the times that the kit waits for what should not come. */
  abstract static class KvVerification<T> extends PublisherVerification<T> {
    KvVerification() {
      super(new TestEnvironment(patienceMillis, 50), 100);
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
  Stream<DynamicTest> listFollowsTheRules() {
    return tests(ListVerification.class);
  }

  @TestFactory
  Stream<DynamicTest> getManyFollowsTheRules() {
    return tests(GetManyVerification.class);
  }

  @TestFactory
  Stream<DynamicTest> watchFollowsTheRules() {
    return tests(WatchVerification.class);
  }

  @TestFactory
  Stream<DynamicTest> changesFollowTheRules() {
    return tests(ChangesVerification.class);
  }

  @TestFactory
  Stream<DynamicTest> queueFollowsTheRules() {
    return tests(QueueVerification.class);
  }

  private static Stream<DynamicTest> tests(Class<? extends PublisherVerification<?>> kit) {
    return Arrays.stream(kit.getMethods())
        .filter(method -> method.isAnnotationPresent(org.testng.annotations.Test.class))
        .sorted(Comparator.comparing(Method::getName))
        .map(method -> DynamicTest.dynamicTest(method.getName(), () -> run(kit, method)));
  }

  private static void run(Class<? extends PublisherVerification<?>> kit, Method method)
      throws Throwable {
    // these wait as long again for what should not come
    patienceMillis = method.getName().contains("spec309") ? 5_000 : 60_000;
    PublisherVerification<?> verification = kit.getDeclaredConstructor().newInstance();
    verification.setUp();
    try {
      method.invoke(verification);
    } catch (InvocationTargetException e) {
      Assumptions.assumeFalse(
          e.getCause() instanceof SkipException, () -> String.valueOf(e.getCause().getMessage()));
      throw e.getCause();
    } finally {
      while (!WRITERS.isEmpty()) {
        WRITERS.remove().dispose();
      }
    }
  }
}
