package io.kvreactive.web.internal.connect;

import io.kvreactive.KvLimits;
import io.kvreactive.connect.ConnectProtocol;
import io.kvreactive.connect.wire.Watch;
import io.kvreactive.web.internal.Site;
import io.kvreactive.web.internal.http.BodyReader;
import io.kvreactive.web.internal.http.Call;
import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import java.util.Arrays;
import java.util.List;

/** Watches keys. */
final class WatchHandler implements Handler<RoutingContext> {
  /** Deno watches 10 at most. */
  static final int MAX_KEYS = 100;

  private final Bodies bodies;
  private final Site site;

  WatchHandler(Bodies bodies, Site site) {
    this.bodies = bodies;
    this.site = site;
  }

  @Override
  public void handle(RoutingContext context) {
    KvLimits limits = Call.of(context).database().kv().limits();
    bodies.read(
        context,
        Watch.getDefaultInstance(),
        Math.min(MAX_KEYS, limits.maxWatchedKeys()),
        request -> watch(context, request));
  }

  private void watch(RoutingContext context, Watch request) {
    Call call = Call.of(context);
    List<byte[]> keys =
        request.getKeysList().stream().map(key -> key.getKey().toByteArray()).toList();
    keys.forEach(key -> call.authorizeRange(key, Arrays.copyOf(key, key.length + 1)));
    if (keys.isEmpty()) {
      call.namesNoKey();
    }
    BodyReader.release(context);
    WatchStream.begin(
        context, site, call.kv().engine().watch(keys, ConnectProtocol.MAX_FRAME_BYTES));
  }
}
