package io.kvreactive.web.internal.connect;

import io.kvreactive.KvLimits;
import io.kvreactive.connect.wire.Watch;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.http.BodyReader;
import io.kvreactive.web.internal.http.RequestContext;
import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import java.util.Arrays;
import java.util.List;

/** Handles watches of keys. */
final class WatchHandler implements Handler<RoutingContext> {
  /** Maximum number of keys of a watch. Deno watches at most 10. */
  static final int MAX_KEYS = 100;

  private final MessageBodies bodies;
  private final ServerContext serverContext;

  WatchHandler(MessageBodies bodies, ServerContext serverContext) {
    this.bodies = bodies;
    this.serverContext = serverContext;
  }

  @Override
  public void handle(RoutingContext context) {
    KvLimits limits = RequestContext.of(context).database().kv().limits();
    bodies.read(
        context,
        Watch.getDefaultInstance(),
        Math.min(MAX_KEYS, limits.maxWatchedKeys()),
        request -> watch(context, request));
  }

  private void watch(RoutingContext context, Watch request) {
    RequestContext requestContext = RequestContext.of(context);
    List<byte[]> keys =
        request.getKeysList().stream().map(key -> key.getKey().toByteArray()).toList();
    keys.forEach(key -> requestContext.authorizeRange(key, Arrays.copyOf(key, key.length + 1)));
    if (keys.isEmpty()) {
      requestContext.namesNoKey();
    }
    BodyReader.release(context);
    WatchSource.begin(
        context, serverContext, requestContext.kv().engine(), keys, request.getWithExpiry());
  }
}
