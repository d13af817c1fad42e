package io.kvreactive.examples;

import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.WebSocketConnectOptions;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A deployed verticle and helpers to send requests to it. */
final class WebService implements AutoCloseable {
  private static final long SECONDS = 60;

  private final Vertx vertx;
  private final String deployment;
  private final String url;
  private final HttpClient http = HttpClient.newHttpClient();

  /**
   * @param url the source of the URL, read after the deployment
   */
  WebService(Vertx vertx, Deployable verticle, Supplier<String> url) {
    this.vertx = vertx;
    this.deployment = await(vertx.deployVerticle(verticle));
    this.url = url.get();
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }

  HttpResponse<String> get(String path) throws Exception {
    return send(HttpRequest.newBuilder(URI.create(url + path)));
  }

  URI uri(String path) {
    return URI.create(url + path);
  }

  HttpResponse<String> put(String path, String json, String token) throws Exception {
    return send(
        HttpRequest.newBuilder(URI.create(url + path))
            .header("Authorization", "Bearer " + token)
            .header("Content-Type", "application/json")
            .PUT(HttpRequest.BodyPublishers.ofString(json)));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  /** Sends a frame on a new WebSocket and returns the first frame received. */
  String webSocketAnswers(String path, String token, String frame) throws Exception {
    URI address = URI.create(url);
    CompletableFuture<String> answer = new CompletableFuture<>();
    var client = vertx.createWebSocketClient();
    client
        .connect(
            new WebSocketConnectOptions()
                .setHost(address.getHost())
                .setPort(address.getPort())
                .setURI(path)
                .addSubProtocol("kv.v1")
                .addSubProtocol("bearer." + token))
        .onSuccess(
            socket -> {
              socket.textMessageHandler(answer::complete);
              socket.writeTextMessage(frame);
            })
        .onFailure(answer::completeExceptionally);
    try {
      return answer.get(SECONDS, TimeUnit.SECONDS);
    } finally {
      await(client.close());
    }
  }

  @Override
  public void close() {
    await(vertx.undeploy(deployment));
  }
}
