package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.json.KvJson;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Finish;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.LeaseToken;
import io.kvreactive.spi.LeasedMessage;
import io.kvreactive.web.internal.Site;
import io.kvreactive.web.internal.auth.Access;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.database.Database;
import io.kvreactive.web.internal.http.Call;
import io.kvreactive.web.internal.http.Lifecycle;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Queues: enqueue, claim, and how a delivery ends. */
final class QueueRoutes {
  private static final int MOST = 1000;
  private static final long LEASE = 30_000;
  private static final long LONGEST_LEASE = 86_400_000;
  private static final long LONGEST_WAIT = 60_000;

  /** A claim notes its lease on the disk, so it is never instantaneous. */
  private static final long LEAST_WAIT = 250;

  private final Lifecycle lifecycle;

  private QueueRoutes(Lifecycle lifecycle) {
    this.lifecycle = lifecycle;
  }

  static void mount(Routes routes, Site site) {
    QueueRoutes queues = new QueueRoutes(site.lifecycle());
    routes.body(HttpMethod.POST, "/enqueue", QueueRoutes::enqueue, Replies.JSON);
    routes.body(HttpMethod.POST, "/queue/claim", queues::claim, Replies.JSON);
    routes.body(HttpMethod.POST, "/queue/ack", QueueRoutes::ack, Replies.JSON);
    routes.body(HttpMethod.POST, "/queue/nack", QueueRoutes::nack, Replies.JSON);
    routes.body(HttpMethod.POST, "/queue/extend", QueueRoutes::extend, Replies.JSON);
  }

  private static void enqueue(RoutingContext context) {
    var unused = Query.of(context);
    var message = Messages.enqueue(context, Routes.json(context), "body");
    Commit commit = Writes.commit(context, List.of(), List.of(), List.of(message));
    Writes.answer(context, commit);
  }

  private static Fields body(RoutingContext context, String... known) {
    var unused = Query.of(context);
    Grant grant = Call.of(context).grant();
    Ranges.requireAll(grant, Access.READ); // no token is for a queue alone
    Ranges.requireAll(grant, Access.WRITE);
    return Fields.of(Routes.json(context), "body", known);
  }

  private void claim(RoutingContext context) {
    Fields body = body(context, "queue", "max", "leaseMs", "waitMs");
    String queue = body.text("queue", "");
    int max = (int) body.whole("max", 1, 1, MOST);
    long lease = body.whole("leaseMs", LEASE, 1, LONGEST_LEASE);
    long wait = Math.max(LEAST_WAIT, body.whole("waitMs", 0, 0, LONGEST_WAIT));
    Database database = Call.of(context).database();
    KvEngine engine = database.kv().engine();
    Mono<List<LeasedMessage>> claimed =
        engine
            .claim(queue, max, lease)
            .timeout(over(wait), Mono.just(List.of()))
            .publishOn(Replies.here());
    Replies.when(
        context,
        claimed,
        messages -> answer(context, database, messages),
        messages -> giveBack(engine, messages));
  }

  /** Completes when a claim has waited long enough, or the server is being stopped. */
  private Mono<Long> over(long millis) {
    Mono<Long> stopped =
        Mono.create(sink -> sink.onDispose(lifecycle.register(sink::success)::run));
    return Mono.firstWithSignal(Mono.delay(Duration.ofMillis(millis)), stopped);
  }

  private static void answer(
      RoutingContext context, Database database, List<LeasedMessage> messages) {
    ObjectNode body = Json.object();
    ArrayNode array = body.putArray("messages");
    for (LeasedMessage message : messages) {
      ObjectNode json = array.addObject();
      json.put("token", Tokens.write(database, message.token()));
      json.set("value", KvJson.toJson(message.payload()));
      json.put("attempt", message.attempt());
      json.put("lastAttempt", message.lastAttempt());
      json.put("enqueuedAt", message.enqueuedAt());
    }
    Replies.json(context, body);
  }

  private static void giveBack(KvEngine engine, List<LeasedMessage> messages) {
    Flux.fromIterable(messages)
        .flatMap(message -> engine.finish(message.token(), new Finish.Release()).onErrorComplete())
        .subscribe();
  }

  private static void ack(RoutingContext context) {
    finish(context, body(context, "token"), new Finish.Ack());
  }

  private static void nack(RoutingContext context) {
    Fields body = body(context, "token", "afterMs");
    Long after = body.has("afterMs") ? body.whole("afterMs", 0, 0, Long.MAX_VALUE) : null;
    finish(context, body, new Finish.Retry(after));
  }

  private static void finish(RoutingContext context, Fields body, Finish how) {
    LeaseToken token = token(context, body);
    done(context, Call.of(context).kv().engine().finish(token, how));
  }

  private static void extend(RoutingContext context) {
    Fields body = body(context, "token", "leaseMs");
    LeaseToken token = token(context, body);
    long lease = body.whole("leaseMs", LEASE, 1, LONGEST_LEASE);
    done(
        context,
        Call.of(context)
            .kv()
            .engine()
            .extend(List.of(token), lease)
            .flatMap(lost -> lost.isEmpty() ? Mono.empty() : Mono.error(lost())));
  }

  private static LeaseToken token(RoutingContext context, Fields body) {
    return Tokens.read(Call.of(context).database(), body.text("token"));
  }

  private static KvException lost() {
    return new KvException(
        KvErrorCode.LEASE_LOST, "token (expected: one whose lease has not ended)");
  }

  private static void done(RoutingContext context, Mono<Void> work) {
    Replies.when(
        context,
        work.thenReturn(true).publishOn(Replies.here()),
        done -> Replies.json(context, Json.object()));
  }
}
