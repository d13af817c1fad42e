package io.kvreactive.web.internal.stream;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** What the streams of a server come to. */
final class StreamMeters {
  private static final Map<MeterRegistry, StreamMeters> BY_REGISTRY =
      Collections.synchronizedMap(new WeakHashMap<>());

  /** Open connections. */
  final LongAdder connections = new LongAdder();

  /** Subscriptions of all connections. */
  final LongAdder subscriptions = new LongAdder();

  /** Written, and not yet taken by a socket. */
  final LongAdder waitingBytes = new LongAdder();

  private StreamMeters() {}

  /** The routes are mounted once on each event loop: what they share is found by the registry. */
  static StreamMeters of(@Nullable MeterRegistry registry) {
    return registry == null
        ? new StreamMeters()
        : BY_REGISTRY.computeIfAbsent(registry, StreamMeters::register);
  }

  private static StreamMeters register(MeterRegistry registry) {
    StreamMeters meters = new StreamMeters();
    gauge(registry, "kv.stream.connections", "open WebSockets", meters.connections);
    gauge(registry, "kv.stream.subscriptions", "what they follow", meters.subscriptions);
    gauge(registry, "kv.stream.waiting", "bytes that sockets have not taken", meters.waitingBytes);
    return meters;
  }

  private static void gauge(MeterRegistry registry, String name, String what, LongAdder value) {
    Gauge.builder(name, value, LongAdder::sum).description(what).register(registry);
  }
}
