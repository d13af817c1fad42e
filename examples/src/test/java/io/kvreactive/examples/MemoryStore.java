package io.kvreactive.examples;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.vertx.core.Vertx;
import java.time.Duration;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import reactor.core.publisher.Mono;

/** An empty store for each test. */
public final class MemoryStore implements BeforeEachCallback, AfterEachCallback {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final String NAME = "test";

  private Vertx vertx;
  private Kv kv;

  public Kv kv() {
    return kv;
  }

  public Vertx vertx() {
    return vertx;
  }

  /** Returns the name under which the store is registered on its Vert.x. */
  public String name() {
    return NAME;
  }

  /** Returns the value of a Mono, or null if it is empty. */
  public static <T> T await(Mono<T> mono) {
    return mono.block(PATIENCE);
  }

  @Override
  public void beforeEach(ExtensionContext test) {
    vertx = Vertx.vertx();
    kv = await(Kv.open(vertx, KvOptions.inMemory().withName(NAME)));
  }

  @Override
  public void afterEach(ExtensionContext test) {
    await(kv.close());
    await(Mono.fromCompletionStage(vertx.close().toCompletionStage()));
  }
}
