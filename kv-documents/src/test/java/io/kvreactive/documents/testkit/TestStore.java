package io.kvreactive.documents.testkit;

import io.kvreactive.Kv;
import io.kvreactive.KvLimits;
import io.kvreactive.KvOptions;
import io.kvreactive.spi.KvEngineOptions;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A store for a test, with blocking helpers. */
public final class TestStore implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  private final Vertx vertx = Vertx.vertx();
  private final Kv kv;

  private TestStore(Function<Vertx, Mono<Kv>> opening) {
    kv = of(opening.apply(vertx));
  }

  private TestStore(KvOptions options) {
    this(vertx -> Kv.open(vertx, options));
  }

  /** Opens a store of another engine. */
  public static TestStore of(KvEngineOptions options) {
    return new TestStore(vertx -> Kv.open(vertx, options));
  }

  /** Opens a store in a directory, or in memory if the directory is null. */
  public static TestStore at(@Nullable Path directory) {
    return new TestStore(
        directory == null ? KvOptions.inMemory().withName(name()) : KvOptions.at(directory));
  }

  public static TestStore withLimits(KvLimits limits) {
    return new TestStore(KvOptions.inMemory().withName(name()).withLimits(limits));
  }

  /** Opens a store in memory that keeps previous values. */
  public static TestStore withOldValues() {
    return new TestStore(KvOptions.inMemory().withName(name()).withOldValues(true));
  }

  /** Opens a store in memory that keeps as few changes as possible. */
  public static TestStore withoutHistory() {
    return new TestStore(
        KvOptions.inMemory()
            .withName(name())
            .withMemoryBytes(1 << 20)
            .withLogRetention(0, Duration.ZERO));
  }

  private static String name() {
    return "test-" + java.util.UUID.randomUUID();
  }

  public Kv kv() {
    return kv;
  }

  public Vertx vertx() {
    return vertx;
  }

  /** Returns the value of a Mono, which must not be empty. */
  public static <T> T of(Mono<T> mono) {
    T value = mono.block(PATIENCE);
    if (value == null) {
      throw new AssertionError("empty");
    }
    return value;
  }

  /** Returns the value of a Mono, or null if it is empty. */
  public static <T> @Nullable T orNull(Mono<T> mono) {
    return mono.block(PATIENCE);
  }

  public static <T> java.util.List<T> all(Flux<T> flux) {
    return of(flux.collectList());
  }

  /** Waits until a condition is true. */
  public static void await(java.util.function.BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("it is still not so");
      }
      Mono.delay(Duration.ofMillis(10)).block();
    }
  }

  @Override
  public void close() {
    kv.close().block(PATIENCE);
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }
}
