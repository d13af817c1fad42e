package io.kvreactive.bench.compare;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.kvreactive.connect.ConnectProtocol;
import io.kvreactive.connect.wire.AtomicWriteOutput;
import io.kvreactive.connect.wire.AtomicWriteStatus;
import io.kvreactive.connect.wire.KvEntry;
import io.kvreactive.connect.wire.ReadRangeOutput;
import io.kvreactive.connect.wire.SnapshotRead;
import io.kvreactive.connect.wire.SnapshotReadOutput;
import io.kvreactive.connect.wire.SnapshotReadStatus;
import io.kvreactive.connect.wire.ValueEncoding;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;

/**
 * A server of KV Connect without a store, in a JVM of its own: every commit succeeds, and every key
 * has the same value. The rates that a client reaches with it are about the limit of the client.
 * Prints the URL of the server and runs until the standard input ends.
 */
@Command(name = ConstantCommand.NAME, hidden = true)
public final class ConstantCommand implements Callable<Integer> {
  static final String NAME = "constant-server";

  private static final ByteString VERSIONSTAMP = ByteString.copyFrom(new byte[10]);
  private static final ByteString VALUE = ByteString.copyFrom(new byte[100]);
  private static final Buffer COMMITTED =
      Buffer.buffer(
          AtomicWriteOutput.newBuilder()
              .setStatus(AtomicWriteStatus.AW_SUCCESS)
              .setVersionstamp(VERSIONSTAMP)
              .build()
              .toByteArray());

  @Override
  public Integer call() throws Exception {
    Vertx vertx = Vertx.vertx();
    var server =
        vertx
            .createHttpServer(new HttpServerOptions().setHttp2ClearTextEnabled(true))
            .requestHandler(request -> request.body().onSuccess(body -> answer(request, body)))
            .listen(0, "127.0.0.1")
            .toCompletionStage()
            .toCompletableFuture()
            .get(1, TimeUnit.MINUTES);
    System.out.println("http://127.0.0.1:" + server.actualPort());
    while (System.in.read() >= 0) {
      // runs until the parent process closes the input
    }
    vertx.close().toCompletionStage().toCompletableFuture().get(1, TimeUnit.MINUTES);
    return 0;
  }

  private static void answer(HttpServerRequest request, Buffer body) {
    HttpServerResponse response = request.response();
    if (request.path().endsWith("/" + ConnectProtocol.ATOMIC_WRITE)) {
      response.putHeader("Content-Type", ConnectProtocol.PROTOBUF).end(COMMITTED);
    } else if (request.path().endsWith("/" + ConnectProtocol.SNAPSHOT_READ)) {
      response.putHeader("Content-Type", ConnectProtocol.PROTOBUF).end(read(body));
    } else {
      response.putHeader("Content-Type", ConnectProtocol.JSON).end(metadata(request).toBuffer());
    }
  }

  private static Buffer read(Buffer body) {
    try {
      SnapshotReadOutput.Builder output =
          SnapshotReadOutput.newBuilder()
              .setReadIsStronglyConsistent(true)
              .setStatus(SnapshotReadStatus.SR_SUCCESS);
      SnapshotRead.parseFrom(body.getBytes())
          .getRangesList()
          .forEach(
              range ->
                  output.addRanges(
                      ReadRangeOutput.newBuilder()
                          .addValues(
                              KvEntry.newBuilder()
                                  .setKey(range.getStart())
                                  .setValue(VALUE)
                                  .setEncoding(ValueEncoding.VE_BYTES)
                                  .setVersionstamp(VERSIONSTAMP))));
      return Buffer.buffer(output.build().toByteArray());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("not a snapshot read: " + e.getMessage(), e);
    }
  }

  private static JsonObject metadata(HttpServerRequest request) {
    String own = "http://" + request.authority();
    return new JsonObject()
        .put("version", ConnectProtocol.NEWEST_VERSION)
        .put("databaseId", UUID.randomUUID().toString())
        .put(
            "endpoints",
            new JsonArray().add(new JsonObject().put("url", own).put("consistency", "strong")))
        .put("token", "of-nothing")
        .put("expiresAt", Instant.now().plus(1, ChronoUnit.DAYS).toString());
  }
}
