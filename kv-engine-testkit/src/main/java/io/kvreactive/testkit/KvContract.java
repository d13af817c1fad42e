package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;
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
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Base of all contracts: a store of the kind under test for each test, and helper methods.
 *
 * <p>A test class of an engine extends a contract and implements {@link StoreFactory}. It may
 * override a test whose expectation is different for a documented reason. With the system property
 * {@code kv.test.long}, tests with random or many operations run in their long form.
 */
@ExtendWith(VertxExtension.class)
public abstract class KvContract implements StoreFactory {
  /** Maximum time for anything that is awaited. */
  protected static final Duration TIMEOUT = Duration.ofSeconds(60);

  private static final int FILLER_BYTES = 128 << 10;

  /** A value that cannot be encoded. */
  protected static final class Broken {
    /** Fails, so that the bean has no content. */
    @SuppressWarnings("DoNotCallSuggester") // called by Jackson
    public String getName() {
      throw new IllegalStateException("broken on purpose");
    }
  }

  /** An empty directory for the test. */
  protected Path directory = Path.of("");

  /** The Vert.x of the tests of a class. */
  @SuppressWarnings("NullAway.Init") // before each test
  protected Vertx vertx;

  /** The store under test: empty at the start of each test. */
  @SuppressWarnings("NullAway.Init") // before each test
  protected Kv kv;

  @SuppressWarnings("NullAway.Init") // before each test
  private KvOptions options;

  private int fillers;

  /** Creates the Vert.x of all tests of a class. */
  @BeforeAll
  public static void share(Vertx vertx) {}

  /** Opens the store under test. */
  @BeforeEach
  public void open(@TempDir Path directory, Vertx vertx) {
    this.directory = directory;
    this.vertx = vertx;
    options = configured(options(directory));
    kv = get(store(vertx, options));
  }

  /** Returns the options of the store, for contracts that need other options. */
  protected KvOptions configured(KvOptions options) {
    return options;
  }

  /** Closes the store under test. */
  @AfterEach
  public void close() {
    close(kv).block(TIMEOUT);
  }

  /** Closes and opens the store if it is durable. */
  protected final void reopen() {
    if (durable()) {
      close();
      kv = get(store(vertx, options));
    }
  }

  /**
   * Moves all committed entries from memory to files, if the engine has both and memory is small:
   * writes four times {@link #memtableBytes}.
   */
  protected final void settle() {
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

  /** Returns true for entries that {@link #settle} has not written. */
  protected static boolean notFiller(KvEntry<?> entry) {
    return !entry.key().startsWith(KvKey.of("~filler"));
  }

  /**
   * Returns the first number in the short form of the tests and the second one in the long form.
   */
  protected static int tries(int shortForm, int longForm) {
    return Boolean.getBoolean("kv.test.long") ? longForm : shortForm;
  }

  /** Waits for an element, and fails if there is none. */
  protected static <T> T get(Mono<T> mono) {
    T value = mono.block(TIMEOUT);
    if (value == null) {
      throw new AssertionError("empty");
    }
    return value;
  }

  /** Subscribes on a Vert.x context and waits on the calling thread. */
  protected static <T> T get(Context context, Supplier<Mono<T>> mono) {
    Promise<T> value = Promise.promise();
    context.runOnContext(
        subscribe -> {
          var unused = mono.get().subscribe(value::complete, value::fail);
        });
    return value.future().await();
  }

  /** Waits for all elements. */
  protected static <T> List<T> all(Flux<T> flux) {
    return get(flux.collectList());
  }

  /** Commits, and fails if a check does not hold. */
  protected final Versionstamp commit(Consumer<AtomicOperation> content) {
    AtomicOperation operation = kv.atomic();
    content.accept(operation);
    Versionstamp stamp = get(operation.commit()).versionstamp();
    if (stamp == null) {
      throw new AssertionError("checks failed");
    }
    return stamp;
  }

  /** Sets a key. */
  protected final Versionstamp set(KvKey key, @Nullable Object value) {
    return get(kv.set(key, value));
  }

  /** Retries readers that were stalled for so long that the store has ended their snapshot. */
  protected static Retry whenTooOld() {
    return Retry.indefinitely()
        .filter(e -> e instanceof KvException k && k.code() == KvErrorCode.SNAPSHOT_TOO_OLD);
  }

  /** Returns the value of a key; null if the key is absent. */
  protected final @Nullable Object value(KvKey key) {
    return get(kv.get(key)).value();
  }

  /** Returns true if a key is present. */
  protected final boolean exists(KvKey key) {
    return get(kv.get(key)).exists();
  }

  /** Returns the failure of a publisher, and fails unless it has a code. */
  protected static KvException failure(Publisher<?> publisher, KvErrorCode code) {
    AtomicReference<KvException> caught = new AtomicReference<>();
    assertThatThrownBy(() -> Flux.from(publisher).blockLast(TIMEOUT))
        .isInstanceOfSatisfying(
            KvException.class,
            e -> {
              caught.set(e);
              assertThat(e.code()).isEqualTo(code);
            });
    return Objects.requireNonNull(caught.get());
  }
}
