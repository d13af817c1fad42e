package io.kvreactive.web.internal.connect;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.kvreactive.KvKey;
import io.kvreactive.Versionstamp;
import io.kvreactive.connect.wire.AtomicWrite;
import io.kvreactive.connect.wire.AtomicWriteOutput;
import io.kvreactive.connect.wire.KvEntry;
import io.kvreactive.connect.wire.KvValue;
import io.kvreactive.connect.wire.Mutation;
import io.kvreactive.connect.wire.MutationType;
import io.kvreactive.connect.wire.ReadRange;
import io.kvreactive.connect.wire.SnapshotRead;
import io.kvreactive.connect.wire.SnapshotReadOutput;
import io.kvreactive.connect.wire.ValueEncoding;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.rest.TestServerContext;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** A client of the wire format of KV Connect, over HTTP/1.1 or HTTP/2 by prior knowledge. */
final class ConnectClient implements AutoCloseable {
  private final Context loop;
  private final HttpClient client;
  private final int port;
  private final String base;
  private final Map<String, String> headers = new HashMap<>();

  record Answer(int status, MultiMap headers, Buffer body) {
    String text() {
      return body.toString();
    }

    String contentType() {
      return headers.get("Content-Type");
    }
  }

  ConnectClient(TestServer server, HttpVersion version) {
    this(server.vertx(), server.port(), version, "", id(server));
  }

  /** Creates a client of routes over one store, with a token. */
  ConnectClient(TestServerContext site, HttpVersion version, String token) {
    this(site.vertx(), site.uri().getPort(), version, "", site.kv.historyId());
    header("authorization", "Bearer " + token);
  }

  ConnectClient(Vertx vertx, int port, HttpVersion version, String base, UUID database) {
    this.loop = vertx.getOrCreateContext();
    this.client =
        vertx.createHttpClient(
            new HttpClientOptions()
                .setProtocolVersion(version)
                .setHttp2ClearTextUpgrade(false)
                .setDecompressionSupported(false));
    this.port = port;
    this.base = base;
    headers.put("authorization", "Bearer " + TestServer.TOKEN);
    headers.put("x-denokv-version", "3");
    headers.put("x-denokv-database-id", database.toString());
  }

  /** Returns the id of a server's default database. */
  static UUID id(TestServer server) {
    try {
      String info = server.get("/api/v1/info").body();
      return UUID.fromString(new ObjectMapper().readTree(info).get("databaseId").asText());
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** Sends the request with another header; null for none. */
  ConnectClient header(String name, String value) {
    if (value == null) {
      headers.remove(name);
    } else {
      headers.put(name, value);
    }
    return this;
  }

  /** Sends a request. Completes with the head of the answer, whose body is paused. */
  Future<HttpClientResponse> begin(String path, byte[] body) {
    return send(
        path,
        body,
        response -> {
          response.pause().exceptionHandler(reset -> {}); // otherwise it is logged
          return Future.succeededFuture(response);
        });
  }

  /** Sends on the event loop of the connections, so that no part of the answer is missed. */
  private <T> Future<T> send(
      String path, byte[] body, Function<HttpClientResponse, Future<T>> take) {
    Promise<T> taken = Promise.promise();
    loop.runOnContext(
        ignored ->
            client
                .request(HttpMethod.POST, port, "127.0.0.1", base + path)
                .compose(
                    request -> {
                      headers.forEach(request::putHeader);
                      return request.send(Buffer.buffer(body));
                    })
                .compose(take)
                .onComplete(taken));
    return taken.future();
  }

  /** Sends the head of a request and a part of its body, or the whole body, without its end. */
  Future<HttpClientRequest> half(String path, byte[] body) {
    Promise<HttpClientRequest> begun = Promise.promise();
    loop.runOnContext(
        ignored ->
            client
                .request(HttpMethod.POST, port, "127.0.0.1", base + path)
                .compose(
                    request -> {
                      headers.forEach(request::putHeader);
                      request.exceptionHandler(reset -> {}); // otherwise it is logged
                      return request.setChunked(true).write(Buffer.buffer(body)).map(request);
                    })
                .onComplete(begun));
    return begun.future();
  }

  /** Sends a request, and cancels it before it can be answered. */
  Future<Void> takeBack(String path, byte[] body) {
    return half(path, body)
        .compose(request -> request.end().compose(sent -> request.reset(8).otherwiseEmpty()));
  }

  Answer post(String path, byte[] body) {
    return await(answer(path, body));
  }

  /** Sends a request. Completes with its whole answer. */
  Future<Answer> answer(String path, byte[] body) {
    return send(
        path,
        body,
        response ->
            response
                .body()
                .map(bytes -> new Answer(response.statusCode(), response.headers(), bytes)));
  }

  Answer post(String path, Message message) {
    return post(path, message.toByteArray());
  }

  static <T> T await(Future<T> future) {
    try {
      return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  SnapshotReadOutput read(ReadRange... ranges) {
    Answer answer =
        post("/v2/snapshot_read", SnapshotRead.newBuilder().addAllRanges(List.of(ranges)).build());
    if (answer.status() != 200) {
      throw new AssertionError(answer.status() + " " + answer.text());
    }
    try {
      return SnapshotReadOutput.parseFrom(answer.body().getBytes());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  AtomicWriteOutput write(AtomicWrite write) {
    Answer answer = post("/v2/atomic_write", write);
    if (answer.status() != 200) {
      throw new AssertionError(answer.status() + " " + answer.text());
    }
    try {
      return AtomicWriteOutput.parseFrom(answer.body().getBytes());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  Versionstamp set(KvKey key, byte[] value) {
    return Versionstamp.of(
        write(AtomicWrite.newBuilder().addMutations(set(key.bytes(), value)).build())
            .getVersionstamp()
            .toByteArray());
  }

  static Mutation set(byte[] key, byte[] value) {
    return Mutation.newBuilder()
        .setKey(ByteString.copyFrom(key))
        .setValue(value(value))
        .setMutationType(MutationType.M_SET)
        .build();
  }

  static KvValue value(byte[] value) {
    return KvValue.newBuilder()
        .setData(ByteString.copyFrom(value))
        .setEncoding(ValueEncoding.VE_BYTES)
        .build();
  }

  static ReadRange range(byte[] start, byte[] end, int limit) {
    return ReadRange.newBuilder()
        .setStart(ByteString.copyFrom(start))
        .setEnd(ByteString.copyFrom(end))
        .setLimit(limit)
        .build();
  }

  static ReadRange point(KvKey key) {
    byte[] start = key.bytes();
    return range(start, java.util.Arrays.copyOf(start, start.length + 1), 1);
  }

  List<KvEntry> get(KvKey key) {
    return read(point(key)).getRanges(0).getValuesList();
  }

  @Override
  public void close() {
    await(client.close());
  }
}
