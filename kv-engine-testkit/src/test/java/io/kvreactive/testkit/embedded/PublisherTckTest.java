package io.kvreactive.testkit.embedded;

import io.kvreactive.EnqueueOptions;
import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvMessage;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.ListOptions;
import io.kvreactive.QueueOptions;
import io.kvreactive.testkit.KvTck;
import io.kvreactive.testkit.TckVerification;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** The Reactive Streams compatibility kit against the publishers of {@link Kv}. */
@ExtendWith(VertxExtension.class)
class PublisherTckTest {
  private static final int KEYS = TckVerification.MAX_ELEMENTS;
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
  static final class ListVerification extends TckVerification<KvEntry<Object>> {
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
  static final class GetManyVerification extends TckVerification<KvEntry<Object>> {
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

  /** The messages of a queue that is filled continuously and never acked. */
  static final class QueueVerification extends TckVerification<KvMessage<Object>> {
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
            writers.add(
                kv.queues().enqueue(1, to).repeat().onErrorComplete().subscribe(ignored -> {}));
            return kv.queues().listen(Object.class, options);
          });
    }

    @Override
    public Publisher<KvMessage<Object>> createFailedPublisher() {
      return kv.queues().listen(Object.class, QueueOptions.of("x".repeat(5000)));
    }
  }

  @TestFactory
  List<DynamicContainer> publishersFollowTheSpecification() {
    return List.of(
        TckVerification.tests("list", ListVerification::new),
        TckVerification.tests("getMany", GetManyVerification::new),
        KvTck.watch(kv),
        KvTck.changes(kv),
        TckVerification.tests("queue", QueueVerification::new));
  }
}
