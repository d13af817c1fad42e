package io.kvreactive.testkit;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import org.junit.jupiter.api.DynamicContainer;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/**
 * The Reactive Streams compatibility kit against the subscriptions of an engine: watches and change
 * feeds. For a method with {@code @TestFactory}, on a store that no other test uses.
 */
public final class KvTck {
  private KvTck() {}

  /** Returns the tests of watches. */
  public static DynamicContainer watch(Kv kv) {
    return TckVerification.tests("watch", () -> new WatchVerification(kv));
  }

  /** Returns the tests of change feeds. */
  public static DynamicContainer changes(Kv kv) {
    return TckVerification.tests("changes", () -> new ChangesVerification(kv));
  }

  /** An endless watch of a key that is written continuously. */
  private static final class WatchVerification extends TckVerification<Object> {
    private final Kv kv;

    WatchVerification(Kv kv) {
      this.kv = kv;
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

  /** An endless feed of a range that is written continuously. */
  private static final class ChangesVerification extends TckVerification<Object> {
    private final Kv kv;

    ChangesVerification(Kv kv) {
      this.kv = kv;
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
      return kv.changes(KvRange.prefix("x".repeat(5000))).map(commit -> commit);
    }
  }
}
