package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.json.KvJson;
import io.kvreactive.protocol.JsonForm;
import io.kvreactive.protocol.Members;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Finish;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.LeaseToken;
import io.kvreactive.spi.LeasedMessage;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.database.Database;
import io.kvreactive.web.internal.http.Lifecycle;
import io.kvreactive.web.internal.http.RequestContext;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import reactor.core.publisher.Mono;

/** Routes of queues: enqueue messages, claim them, and finish deliveries. */
final class QueueRoutes {
  private static final int MAX_MESSAGES = 1000;
  private static final long LEASE = 30_000;
  private static final JsonForm<Long> LEASE_MILLIS = JsonForm.whole(1, 86_400_000);
  private static final long MAX_WAIT_MILLIS = 60_000;

  /**
   * Minimum waiting time of a claim in milliseconds. A claim is never immediate, because its lease
   * is stored first.
   */
  private static final long MIN_WAIT_MILLIS = 250;

  private final Lifecycle lifecycle;

  private QueueRoutes(Lifecycle lifecycle) {
    this.lifecycle = lifecycle;
  }

  static void mount(OperationRoutes routes, ServerContext serverContext) {
    QueueRoutes queues = new QueueRoutes(serverContext.lifecycle());
    routes.body(Operation.ENQUEUE, QueueRoutes::enqueue, WriteRequests::answer);
    routes.body(Operation.CLAIM, ClaimRequest::read, queues::claim);
    routes.body(Operation.ACK, QueueRoutes::ack, QueueRoutes::done);
    routes.body(Operation.NACK, QueueRoutes::nack, QueueRoutes::done);
    routes.body(Operation.EXTEND, QueueRoutes::extend, QueueRoutes::done);
  }

  private static Commit enqueue(RoutingContext context) {
    var unused = QueryParams.of(context);
    var message =
        MutationJson.enqueue(
            RequestContext.of(context).clock(),
            StrictJson.input(OperationRoutes.json(context), "body"));
    return WriteRequests.commit(context, List.of(), List.of(), List.of(message));
  }

  private static Members<?> body(RoutingContext context, String... known) {
    var unused = QueryParams.of(context);
    return StrictJson.input(OperationRoutes.json(context), "body").members(known);
  }

  /** The parameters of a claim. */
  private record ClaimRequest(String queue, int max, long leaseMillis, long waitMillis) {
    static ClaimRequest read(RoutingContext context) {
      Members<?> body = body(context, "queue", "max", "leaseMs", "waitMs");
      return new ClaimRequest(
          body.read("queue", JsonForm.TEXT, ""),
          body.read("max", JsonForm.integer(1, MAX_MESSAGES), 1),
          body.read("leaseMs", LEASE_MILLIS, LEASE),
          Math.max(MIN_WAIT_MILLIS, body.read("waitMs", JsonForm.whole(0, MAX_WAIT_MILLIS), 0L)));
    }
  }

  private void claim(RoutingContext context, ClaimRequest requested) {
    Database database = RequestContext.of(context).database();
    KvEngine engine = database.kv().engine();
    QueueClaim claim =
        new QueueClaim(context, engine, messages -> answer(context, database, messages));
    claim.start(
        engine.claim(requested.queue(), requested.max(), requested.leaseMillis()),
        requested.waitMillis(),
        lifecycle);
  }

  private static Future<Void> answer(
      RoutingContext context, Database database, List<LeasedMessage> messages) {
    ObjectNode body = StrictJson.object();
    ArrayNode array = body.putArray("messages");
    for (LeasedMessage message : messages) {
      ObjectNode json = array.addObject();
      json.put("token", DeliveryTokens.write(database, message.token()));
      json.set("value", KvJson.toJson(message.payload()));
      json.put("attempt", message.attempt());
      json.put("lastAttempt", message.lastAttempt());
      json.put("enqueuedAt", message.enqueuedAt());
    }
    return Responses.json(context, body);
  }

  private static Mono<Void> ack(RoutingContext context) {
    return finish(context, body(context, "token"), new Finish.Ack());
  }

  private static Mono<Void> nack(RoutingContext context) {
    Members<?> body = body(context, "token", "afterMs");
    Long after = body.readIfAny("afterMs", JsonForm.whole(0, Long.MAX_VALUE).readingNull());
    return finish(context, body, new Finish.Retry(after));
  }

  private static Mono<Void> finish(RoutingContext context, Members<?> body, Finish how) {
    return RequestContext.of(context).kv().engine().finish(token(context, body), how);
  }

  private static Mono<Void> extend(RoutingContext context) {
    Members<?> body = body(context, "token", "leaseMs");
    LeaseToken token = token(context, body);
    long lease = body.read("leaseMs", LEASE_MILLIS, LEASE);
    return RequestContext.of(context)
        .kv()
        .engine()
        .extend(List.of(token), lease)
        .flatMap(lost -> lost.isEmpty() ? Mono.empty() : Mono.error(lost()));
  }

  private static LeaseToken token(RoutingContext context, Members<?> body) {
    return DeliveryTokens.read(
        RequestContext.of(context).database(), body.read("token", JsonForm.TEXT));
  }

  private static KvException lost() {
    return new KvException(KvErrorCode.LEASE_LOST, "the lease of the delivery has expired");
  }

  private static void done(RoutingContext context, Mono<Void> work) {
    Responses.when(
        context,
        work.thenReturn(true).publishOn(Responses.here()),
        done -> Responses.json(context, StrictJson.object()));
  }
}
