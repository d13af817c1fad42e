package io.kvreactive.bench;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;

/** An open store on files with synchronous durability, and its Vert.x. */
public final class OpenStore implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final Vertx vertx = Vertx.vertx();
  private final Kv kv;

  public OpenStore(Path directory) {
    this(KvOptions.at(directory));
  }

  public OpenStore(KvOptions options) {
    Kv opened = Kv.open(vertx, options).block(PATIENCE);
    if (opened == null) {
      throw new IllegalStateException("open emitted nothing");
    }
    kv = opened;
  }

  public Kv kv() {
    return kv;
  }

  public Vertx vertx() {
    return vertx;
  }

  @Override
  public void close() {
    kv.close().block(PATIENCE);
    vertx.close().await();
  }
}
