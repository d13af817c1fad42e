package io.kvreactive.connect.internal;

import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.http.client.RetryingCall.Backoff;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import reactor.core.publisher.Mono;

/** A server on its own socket with the behaviour that the test needs. */
final class Peer implements AutoCloseable {
  static final Duration TIMEOUT = Duration.ofSeconds(120);
  static final String TOKEN = "the-token-of-the-user";

  private static final int PATIENCE = 60_000;

  /**
   * Short pauses between attempts and long timeouts, because a stalled machine must not look like a
   * silent server.
   */
  static final RemoteOptions QUICK = quick(PATIENCE, PATIENCE);

  private final Vertx vertx;
  private final HttpServer server;

  Peer(Vertx vertx, Handler<HttpServerRequest> handler) {
    this.vertx = vertx;
    server = vertx.createHttpServer().requestHandler(handler).listen(0, "127.0.0.1").await();
  }

  /**
   * Returns options with other timeouts.
   *
   * @param budgetMillis the maximum time of a call
   * @param silenceMillis the time after which a silent watch reconnects
   */
  static RemoteOptions quick(long budgetMillis, long silenceMillis) {
    return new RemoteOptions(
        budgetMillis,
        Math.min(budgetMillis, PATIENCE),
        PATIENCE,
        PATIENCE,
        new Backoff(5, 50),
        silenceMillis,
        1 << 20,
        RemoteOptions.DEFAULT.clearText());
  }

  /** Short timeouts for calls, and long ones for connections. */
  Kv connectWithBudget(long millis) {
    return connect(quick(millis, PATIENCE));
  }

  String url() {
    return "http://127.0.0.1:" + server.actualPort();
  }

  Kv connect() {
    return connect(QUICK);
  }

  Kv connect(RemoteOptions options) {
    return Kv.over(get(new RemoteConnector(options).connect(vertx, url(), TOKEN)), "peer");
  }

  static <T> T get(Mono<T> mono) {
    T value = mono.block(TIMEOUT);
    if (value == null) {
      throw new AssertionError("empty");
    }
    return value;
  }

  static KvErrorCode code(Mono<?> call) {
    return failure(call).code();
  }

  static KvException failure(Mono<?> call) {
    try {
      call.block(TIMEOUT);
    } catch (KvException e) {
      return e;
    }
    throw new AssertionError("no failure");
  }

  /** Returns the metadata of a foreign server, with one strong endpoint. */
  static JsonObject metadata(String endpoint, String token) {
    return new JsonObject()
        .put("version", 3)
        .put("databaseId", new UUID(0, 7).toString())
        .put(
            "endpoints",
            new JsonArray().add(new JsonObject().put("url", endpoint).put("consistency", "strong")))
        .put("token", token)
        .put("expiresAt", Instant.now().plusSeconds(3600).toString());
  }

  static void answerMetadata(HttpServerRequest request, String endpoint, String token) {
    request
        .response()
        .putHeader("Content-Type", "application/json")
        .end(metadata(endpoint, token).toBuffer());
  }

  static void answer(HttpServerRequest request, byte[] message) {
    request
        .response()
        .putHeader("Content-Type", "application/x-protobuf")
        .end(Buffer.buffer(message));
  }

  @Override
  public void close() {
    server.close().await();
  }
}
