package io.kvreactive.web.internal.connect;

import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvLimits;
import io.kvreactive.connect.ConnectProtocol;
import io.kvreactive.connect.WireCommits;
import io.kvreactive.connect.wire.AtomicWrite;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import io.kvreactive.web.internal.auth.CommitScope;
import io.kvreactive.web.internal.http.RequestContext;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;

/**
 * Handles commits. A written key must be in canonical encoding: other interfaces could not name any
 * other key, and no client of Deno sends one. Checks and deletes accept any stored key, so that
 * such keys can be removed.
 *
 * <p>Two equal commits take effect twice, because a client may intend that. This includes a commit
 * that a client repeats because it received no response, unless the commit has an id or checks.
 */
final class AtomicWriteHandler implements Handler<RoutingContext> {
  private static final int SYSTEM = 0xFF;

  private final MessageBodies bodies;

  AtomicWriteHandler(MessageBodies bodies) {
    this.bodies = bodies;
  }

  @Override
  public void handle(RoutingContext context) {
    KvLimits limits = RequestContext.of(context).database().kv().limits();
    long elements = (long) limits.maxChecks() + limits.maxMutations();
    bodies.read(
        context,
        AtomicWrite.getDefaultInstance(),
        (int) Math.min(elements, KvLimits.UNLIMITED),
        request -> write(context, request));
  }

  private static void write(RoutingContext context, AtomicWrite request) {
    RequestContext requestContext = RequestContext.of(context);
    String id = context.request().getHeader(ConnectProtocol.COMMIT_ID_HEADER);
    boolean given = id != null && !id.isBlank();
    Commit commit =
        WireCommits.commit(
            request, given ? CommitScope.id(requestContext.grant(), id.strip()) : null);
    requestContext.authorizeCommit(commit);
    int maxKeyBytes = requestContext.kv().limits().maxKeyBytes();
    commit.mutations().stream()
        .filter(mutation -> !(mutation instanceof Mutation.Delete))
        .forEach(mutation -> requireCanonical(mutation.key(), maxKeyBytes));
    commit.enqueues().stream()
        .flatMap(enqueue -> enqueue.keysIfUndelivered().stream())
        .forEach(key -> requireCanonical(key, maxKeyBytes));
    SubscriberContext.REQUIRED
        .apply(requestContext.kv().engine().commit(commit))
        .subscribe(result -> answer(context, result), context::fail);
  }

  private static void answer(RoutingContext context, CommitResult result) {
    FlushCoalescer.hold(context.request());
    context
        .response()
        .putHeader("Content-Type", ConnectProtocol.PROTOBUF)
        .end(Buffer.buffer(WireCommits.output(result).toByteArray()));
  }

  /**
   * Rejects keys that are not in canonical encoding. Keys of the system and keys that are too long
   * are left to the engine, which rejects them.
   */
  private static void requireCanonical(byte[] key, int maxKeyBytes) {
    boolean isRefused = key.length > maxKeyBytes || (key.length > 0 && (key[0] & 0xFF) == SYSTEM);
    KvKey named = KvKey.fromEncoded(key);
    if (!isRefused && !named.isCanonical()) {
      throw new KvException(
          KvErrorCode.INVALID_KEY, "key " + named + " (expected: the encoding of key parts)");
    }
  }
}
