package io.kvreactive.web.internal.connect;

import io.kvreactive.KvLimits;
import io.kvreactive.connect.ConnectProtocol;
import io.kvreactive.connect.WireCommits;
import io.kvreactive.connect.wire.AtomicWrite;
import io.kvreactive.spi.Commit;
import io.kvreactive.web.internal.auth.CommitScope;
import io.kvreactive.web.internal.http.Call;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;

/**
 * Commits. Two that look the same are two, since clients may mean that; so one that a client sends
 * again because it got no answer happens twice, unless it has an id or checks.
 */
final class AtomicWriteHandler implements Handler<RoutingContext> {
  private final Bodies bodies;

  AtomicWriteHandler(Bodies bodies) {
    this.bodies = bodies;
  }

  @Override
  public void handle(RoutingContext context) {
    KvLimits limits = Call.of(context).kv().limits();
    long elements = (long) limits.maxChecks() + limits.maxMutations();
    bodies.read(
        context,
        AtomicWrite.getDefaultInstance(),
        (int) Math.min(elements, KvLimits.UNLIMITED),
        request -> write(context, request));
  }

  private static void write(RoutingContext context, AtomicWrite request) {
    Call call = Call.of(context);
    String id = context.request().getHeader(ConnectProtocol.COMMIT_ID_HEADER);
    boolean given = id != null && !id.isBlank();
    Commit commit =
        WireCommits.commit(request, given ? CommitScope.id(call.grant(), id.strip()) : null);
    CommitScope.require(call.grant(), commit);
    OnLoop.take(
        context,
        call.kv().engine().commit(commit),
        result -> {
          SentTogether.hold(context.request());
          context
              .response()
              .putHeader("Content-Type", ConnectProtocol.PROTOBUF)
              .end(Buffer.buffer(WireCommits.output(result).toByteArray()));
        });
  }
}
