package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.AtomicOperation;
import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.Versionstamp;
import io.vertx.core.Context;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** Base of all contracts: a store of the kind under test, and helper methods. */
@ExtendWith(VertxExtension.class)
abstract class KvContract implements StoreFactory {
  static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int FILLER_BYTES = 128 << 10;

  @TempDir Path directory;

  private KvOptions options;
  private int fillers;
  Vertx vertx;
  Kv kv;

  /** Creates the Vert.x of all tests of a class. */
  @BeforeAll
  static void share(Vertx vertx) {}

  @BeforeEach
  void open(Vertx vertx) {
    this.vertx = vertx;
    options = configured(options(directory));
    kv = get(store(vertx, options));
  }

  /** Returns the options of the store, for contracts that need other options. */
  KvOptions configured(KvOptions options) {
    return options;
  }

  @AfterEach
  void close() {
    close(kv).block(TIMEOUT);
  }

  /** Closes and opens the store if it is durable. */
  void reopen() {
    if (durable()) {
      close();
      kv = get(store(vertx, options));
    }
  }

  /**
   * Moves all committed entries to the image if memory is small. The store accepts at most three
   * memtables of commits before the oldest is in the image, and this method commits four.
   */
  void settle() {
    if (memtableBytes() == 0) {
      return;
    }
    long written = 0;
    while (written < 4 * memtableBytes()) {
      AtomicOperation filler = kv.atomic();
      for (int i = 0; i < 4; i++) {
        filler.set(KvKey.of("~filler", fillers++), new byte[FILLER_BYTES]);
        written += FILLER_BYTES;
      }
      get(filler.commit());
    }
  }

  static boolean notFiller(KvEntry<?> entry) {
    return !entry.key().startsWith(KvKey.of("~filler"));
  }

  static <T> T get(Mono<T> mono) {
    T value = mono.block(TIMEOUT);
    if (value == null) {
      throw new AssertionError("empty");
    }
    return value;
  }

  /** Subscribes on a Vert.x context and waits on the calling thread. */
  static <T> T get(Context context, Supplier<Mono<T>> mono) {
    Promise<T> value = Promise.promise();
    context.runOnContext(subscribe -> mono.get().subscribe(value::complete, value::fail));
    return value.future().await();
  }

  static <T> List<T> all(Flux<T> flux) {
    return get(flux.collectList());
  }

  /** Commits, and fails if a check does not hold. */
  Versionstamp commit(Consumer<AtomicOperation> content) {
    AtomicOperation operation = kv.atomic();
    content.accept(operation);
    Versionstamp stamp = get(operation.commit()).versionstamp();
    if (stamp == null) {
      throw new AssertionError("checks failed");
    }
    return stamp;
  }

  Versionstamp set(KvKey key, Object value) {
    return get(kv.set(key, value));
  }

  /** Retries readers that were stalled for so long that the store has ended their snapshot. */
  static Retry whenTooOld() {
    return Retry.indefinitely()
        .filter(e -> e instanceof KvException k && k.code() == KvErrorCode.SNAPSHOT_TOO_OLD);
  }

  Object value(KvKey key) {
    return get(kv.get(key)).value();
  }

  boolean exists(KvKey key) {
    return get(kv.get(key)).exists();
  }

  static KvException failure(Publisher<?> publisher, KvErrorCode code) {
    KvException[] caught = new KvException[1];
    assertThatThrownBy(() -> Flux.from(publisher).blockLast(TIMEOUT))
        .isInstanceOfSatisfying(
            KvException.class,
            e -> {
              caught[0] = e;
              org.assertj.core.api.Assertions.assertThat(e.code()).isEqualTo(code);
            });
    return caught[0];
  }
}
