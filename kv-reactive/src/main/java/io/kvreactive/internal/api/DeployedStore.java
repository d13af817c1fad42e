package io.kvreactive.internal.api;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.KvOptions;
import io.kvreactive.internal.shared.CallbackThread;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.KvEngine;
import io.vertx.core.shareddata.Shareable;
import reactor.core.publisher.Mono;

/** A deployed store, with the state that its handles share. */
public final class DeployedStore implements Shareable {
  private final KvEngine engine;
  private final ValueMapper values;
  private final SubscriberContext subscriberContext;

  public DeployedStore(KvEngine engine, KvOptions options) {
    ObjectMapper json = options.json();
    this.engine = engine;
    this.values = json == null ? new ValueMapper() : new ValueMapper(json);
    this.subscriberContext =
        new SubscriberContext(new CallbackThread("kv-callback-" + options.name()));
  }

  /**
   * Returns another handle.
   *
   * @param release subscribed to when the handle is closed
   */
  EngineKv handle(Mono<Void> release) {
    return new EngineKv(engine, values, subscriberContext, release);
  }

  /** Closes the engine, or waits for the close in progress. */
  public Mono<Void> close() {
    return engine.close();
  }
}
