package io.kvreactive;

import io.kvreactive.internal.api.DeployedStore;
import io.kvreactive.internal.api.Stores;
import io.kvreactive.internal.engine.EmbeddedEngine;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import org.jspecify.annotations.Nullable;

/**
 * The verticle that owns a store: its log, its MapDB maps and its versionstamps. {@link Kv#open}
 * deploys one; to deploy it yourself:
 *
 * <pre>{@code
 * vertx.deployVerticle(new KvVerticle(options), KvVerticle.deployment(options));
 * Kv.named(vertx, options.name()).subscribe(…);
 * }</pre>
 *
 * Starting completes when the log has been read back; stopping when everything that was answered is
 * durable, with work in flight answered first.
 */
public final class KvVerticle extends VerticleBase {
  private final KvOptions options;
  private @Nullable DeployedStore deployed;
  private long syncTimer = -1;

  /**
   * A verticle that opens one store when it is deployed; to be deployed once.
   *
   * @param options of the store; its name is what {@link Kv#named} finds it by
   */
  public KvVerticle(KvOptions options) {
    this.options = options;
  }

  /** How it must be deployed: one instance, as a worker, on a pool of its own of one thread. */
  public static DeploymentOptions deployment(KvOptions options) {
    return new DeploymentOptions()
        .setThreadingModel(ThreadingModel.WORKER)
        .setInstances(1)
        .setWorkerPoolName("kv-store-" + options.name())
        .setWorkerPoolSize(1);
  }

  @Override
  public Future<?> start() {
    checkDeployment();
    Context store = context;
    EmbeddedEngine engine =
        EmbeddedEngine.open(options, task -> store.runOnContext(ignored -> task.run()));
    DeployedStore opened = new DeployedStore(engine, options);
    deployed = opened;
    try {
      Stores.register(vertx, options.name(), opened);
    } catch (KvException e) {
      return stop().transform(ignored -> Future.failedFuture(e));
    }
    Durability durability = options.durability();
    if (options.directory() != null && !durability.everyCommit()) {
      syncTimer = vertx.setPeriodic(durability.interval().toMillis(), ignored -> engine.syncLog());
    }
    return Future.succeededFuture();
  }

  private void checkDeployment() {
    String thread = Thread.currentThread().getName();
    String pool = "kv-store-" + options.name() + "-"; // Vert.x numbers a pool's threads
    boolean own = thread.startsWith(pool) && thread.substring(pool.length()).matches("\\d+");
    if (context.threadingModel() != ThreadingModel.WORKER || !own) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "deployed as %s on thread %s (expected: the options of KvVerticle.deployment)"
              .formatted(context.threadingModel(), thread));
    }
  }

  @Override
  public Future<?> stop() {
    vertx.cancelTimer(syncTimer);
    DeployedStore opened = deployed;
    if (opened == null) {
      return Future.succeededFuture();
    }
    Stores.unregister(vertx, options.name(), opened);
    Promise<Void> closed = Promise.promise();
    opened.close().subscribe(ignored -> {}, closed::fail, closed::complete);
    return closed.future();
  }
}
