package io.kvreactive;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The queues of a store: messages that are delivered at least once. Obtained by {@link Kv#queues}.
 * What {@link Kv} says of publishers, threads, durability and errors holds here too.
 */
public interface KvQueues {
  /** Like {@link #enqueue(Object, EnqueueOptions)}, with {@link EnqueueOptions#DEFAULT}. */
  default Mono<Versionstamp> enqueue(@Nullable Object message) {
    return enqueue(message, EnqueueOptions.DEFAULT);
  }

  /**
   * Puts a message into a queue and emits the commit's versionstamp. A message may be anything that
   * a value may be. {@link AtomicOperation#enqueue} combines it with other changes. Errors:
   * INVALID_VALUE; LIMIT_EXCEEDED for the limits of messages in {@link KvLimits}; INVALID_KEY for
   * an empty key in the keys for an undelivered message.
   */
  Mono<Versionstamp> enqueue(@Nullable Object message, EnqueueOptions options);

  /**
   * Consumes a queue: emits its messages on demand, in the order in which they became ready. Each
   * must be finished by {@link KvMessage#ack} or {@link KvMessage#nack}.
   *
   * <p><b>At least once.</b> An unfinished message is delivered again: after a nack or a
   * cancellation when the next wait of its backoff has passed, and when the store is opened again
   * after a crash. While the subscription lives, its messages stay leased without a time limit,
   * unless {@link QueueOptions#maxProcessing} sets one. Each delivery is recorded before it is
   * emitted. So a message that kills its process uses up its attempts, and is then written to its
   * keys for undelivered messages. Handlers must tolerate repeated deliveries.
   *
   * <p><b>Concurrency.</b> Several consumers of a queue compete: each message goes to one of them.
   * A subscription is given at most the requested number of messages, and at most {@link
   * QueueOptions#maxInFlight} unfinished ones; so the demand of {@code flatMap(handler, 16)} makes
   * 16 handlers. The subscription extends the leases of its messages while they are processed; see
   * {@link QueueOptions#lease} and {@link QueueOptions#maxProcessing}.
   *
   * <p><b>Cancellation</b> returns unfinished messages at once, emitted or not; none is passed to a
   * {@code doOnDiscard} hook. Deliveries of emitted messages count as if they had been nacked. So a
   * message that makes the subscriber fail is delivered again after its backoff, also to a {@code
   * retry()}. After its last attempt it is written to its keys. Deliveries of messages that were
   * not emitted yet do not count. A later ack fails with LEASE_LOST. So finish messages before
   * cancelling, and use no operator that prefetches messages: {@code concatMap(m ->
   * handle(m).then(m.ack()).thenReturn(m), 0).take(10)}.
   *
   * <p><b>Orderly stop.</b> After {@link QueueOptions#stopWhen} no more messages are claimed.
   * Emitted messages can still be finished, and when all are, the subscription completes. When the
   * store or the handle is closed, the subscription completes at once: it waits for no handler and
   * returns all unfinished messages without counting their deliveries, so that the work of their
   * handlers is repeated. So stop first, wait for completion, and then close.
   *
   * <p>A message that cannot be read as the type is nacked and logged, and the subscription
   * continues. Errors: LIMIT_EXCEEDED for the name, INVALID_ARGUMENT for a request below 1,
   * UNSUPPORTED if the engine has no queues. After DISK_FULL and other retryable errors the
   * subscription tries again.
   */
  <T> Flux<KvMessage<T>> listen(KvType<T> type, QueueOptions options);

  /** Like {@link #listen(KvType, QueueOptions)}, for a type without arguments. */
  default <T> Flux<KvMessage<T>> listen(Class<T> type, QueueOptions options) {
    return listen(KvType.of(type), options);
  }

  /** Consumes the queue with the empty name, which is Deno KV's queue. */
  default <T> Flux<KvMessage<T>> listen(KvType<T> type) {
    return listen(type, QueueOptions.DEFAULT);
  }

  /** Like {@link #listen(KvType)}, for a type without arguments. */
  default <T> Flux<KvMessage<T>> listen(Class<T> type) {
    return listen(KvType.of(type));
  }

  /**
   * Consumes a queue by a handler, for up to {@code concurrency} messages at a time, regardless of
   * {@link QueueOptions#maxInFlight}. Acks a message when the publisher that the handler returned
   * completes; nacks it when that publisher fails, which is logged; unless the handler has acked or
   * nacked the message itself. Errors of handlers do not end it, only those of {@link
   * #listen(KvType, QueueOptions)} do. Cancellation returns unfinished messages, and their
   * deliveries count. Completes after {@link QueueOptions#stopWhen} when all handlers have ended.
   * When the store or the handle is closed, it also completes when its handlers have ended, but
   * their messages are delivered again. So an orderly shutdown is:
   *
   * <pre>{@code
   * Sinks.Empty<Void> stop = Sinks.empty();
   * QueueOptions options = QueueOptions.of("mails").withStopWhen(stop.asMono());
   * Mono<Void> handled = kv.queues().handle(Mail.class, options, 16, m -> send(m.required())).cache();
   * handled.subscribe();
   * // later
   * stop.tryEmitEmpty();
   * handled.then(kv.close()).subscribe();
   * }</pre>
   *
   * Handlers are called on the subscriber's context, and must not block it. Error: INVALID_ARGUMENT
   * for a concurrency below 1.
   */
  <T> Mono<Void> handle(
      KvType<T> type,
      QueueOptions options,
      int concurrency,
      Function<? super KvMessage<T>, ? extends Publisher<?>> handler);

  /** Like {@link #handle(KvType, QueueOptions, int, Function)}, without type arguments. */
  default <T> Mono<Void> handle(
      Class<T> type,
      QueueOptions options,
      int concurrency,
      Function<? super KvMessage<T>, ? extends Publisher<?>> handler) {
    return handle(KvType.of(type), options, concurrency, handler);
  }
}
