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
 * The verticle that owns a store: its log, its memtables, its image and its versionstamps. {@link
 * Kv#open} deploys one. To deploy one directly:
 *
 * <pre>{@code
 * vertx.deployVerticle(new KvVerticle(options), KvVerticle.deployment(options));
 * Kv.named(vertx, options.name()).subscribe(…);
 * }</pre>
 *
 * The start completes when the log has been replayed. The stop first answers the commits in flight,
 * and completes when every answered commit is durable.
 */
public final class KvVerticle extends VerticleBase {
  private final KvOptions options;
  private @Nullable DeployedStore deployed;
  private long syncTimer = -1;

  /**
   * Creates a verticle that opens one store when it is deployed. May be deployed once.
   *
   * @param options the options of the store; {@link Kv#named} finds the store by their name
   */
  public KvVerticle(KvOptions options) {
    this.options = options;
  }

  /**
   * Returns the required deployment options: one instance, as a worker, on a dedicated pool of one
   * thread.
   */
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
    String pool = "kv-store-" + options.name() + "-"; // Vert.x numbers the threads of a pool
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
