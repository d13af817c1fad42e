package io.kvreactive.internal.api;

import io.kvreactive.EnqueueOptions;
import io.kvreactive.KvMessage;
import io.kvreactive.KvQueues;
import io.kvreactive.KvType;
import io.kvreactive.QueueOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.shared.ArgumentChecks;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.KvEngine;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** {@link KvQueues} over an engine. */
final class EngineQueues implements KvQueues {
  private final KvEngine engine;
  private final ValueMapper values;
  private final HandleScope scope;

  EngineQueues(KvEngine engine, ValueMapper values, HandleScope scope) {
    this.engine = engine;
    this.values = values;
    this.scope = scope;
  }

  @Override
  public Mono<Versionstamp> enqueue(@Nullable Object message, EnqueueOptions options) {
    return scope
        .mono(
            () -> {
              Enqueue enqueue =
                  EnqueueMapper.of(values.encode(message), options).apply(engine.now());
              return engine.commit(
                  new Commit(List.of(), List.of(), List.of(), List.of(enqueue), null));
            })
        .map(EngineKv::stamp);
  }

  @Override
  public <T> Flux<KvMessage<T>> listen(KvType<T> type, QueueOptions options) {
    return scope.flux(
        () -> {
          int name = options.queue().getBytes(StandardCharsets.UTF_8).length;
          ArgumentChecks.withinLimit(
              "bytes in the name", name, engine.limits().maxQueueNameBytes());
          return new QueueFlux<>(engine, scope.context(), values, type, options, scope.closed());
        });
  }

  @Override
  public <T> Mono<Void> handle(
      KvType<T> type,
      QueueOptions options,
      int concurrency,
      Function<? super KvMessage<T>, ? extends Publisher<?>> handler) {
    if (concurrency < 1) {
      return scope
          .context()
          .apply(Mono.error(ArgumentChecks.invalid("concurrency", concurrency, "at least 1")));
    }
    int inFlight = Math.max(concurrency, options.maxInFlight());
    Flux<KvMessage<T>> messages = listen(type, options.withMaxInFlight(inFlight));
    return scope.context().apply(new QueueHandler<>(handler).run(messages, concurrency));
  }
}
