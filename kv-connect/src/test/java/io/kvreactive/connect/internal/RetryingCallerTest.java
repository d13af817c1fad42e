package io.kvreactive.connect.internal;

import static io.kvreactive.connect.internal.Peer.code;
import static io.kvreactive.connect.internal.Peer.failure;
import static io.kvreactive.connect.internal.Peer.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.CommitResult;
import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvKey;
import io.kvreactive.KvLimits;
import io.kvreactive.KvRange;
import io.kvreactive.connect.LimitsHeader;
import io.kvreactive.connect.wire.AtomicWriteOutput;
import io.kvreactive.connect.wire.AtomicWriteStatus;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.NetServer;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;

/** Retries of reads and commits. */
@ExtendWith(VertxExtension.class)
class RetryingCallerTest {
  private static final KvKey KEY = KvKey.of("a");

  private Vertx vertx;

  @BeforeEach
  void use(Vertx vertx) {
    this.vertx = vertx;
  }

  @TempDir Path directory;

  /** A peer that answers requests for metadata. The test answers all others. */
  private Peer peer(boolean ours, Consumer<HttpServerRequest> data) {
    return new Peer(
        vertx,
        request -> {
          if (!request.path().equals("/")) {
            data.accept(request);
            return;
          }
          if (ours) {
            request.response().putHeader(LimitsHeader.NAME, LimitsHeader.print(KvLimits.DEFAULT));
          }
          Peer.answerMetadata(request, "/v2", "t");
        });
  }

  private static void refuse(HttpServerRequest request, int status, String text) {
    request.response().setStatusCode(status).end(text);
  }

  private static void commit(HttpServerRequest request) {
    Peer.answer(
        request,
        AtomicWriteOutput.newBuilder()
            .setStatus(AtomicWriteStatus.AW_SUCCESS)
            .setVersionstamp(
                com.google.protobuf.ByteString.copyFrom(new byte[] {0, 0, 0, 0, 0, 0, 0, 9, 0, 0}))
            .build()
            .toByteArray());
  }

  @Test
  void retriesReadsUntilTheySucceed() {
    AtomicInteger asked = new AtomicInteger();
    try (Peer peer =
        peer(
            false,
            request -> {
              switch (asked.incrementAndGet()) {
                case 1 -> request.connection().close();
                case 2 -> refuse(request, 500, "sqlite");
                case 3 -> refuse(request, 503, "OVERLOADED: full");
                case 4 -> refuse(request, 429, "slowly");
                default -> Peer.answer(request, DatabaseMetadataTest.absent());
              }
            })) {
      Kv kv = peer.connect();
      assertThat(get(kv.get(KEY)).exists()).isFalse();
      kv.close().block(Peer.TIMEOUT);
    }
    assertThat(asked).hasValue(5);
  }

  @Test
  void failsAReadThatIsNeverAnswered() {
    try (Peer peer = peer(false, request -> refuse(request, 502, "bad gateway"))) {
      Kv kv = peer.connectWithBudget(300);
      assertThat(code(kv.get(KEY))).isEqualTo(KvErrorCode.UNAVAILABLE);
      kv.close().block(Peer.TIMEOUT);
    }
    try (Peer silent = peer(false, request -> {})) {
      Kv kv = silent.connectWithBudget(300);
      assertThat(code(kv.get(KEY))).isEqualTo(KvErrorCode.UNAVAILABLE);
      assertThat(code(kv.set(KEY, 1))).isEqualTo(KvErrorCode.UNAVAILABLE);
      kv.close().block(Peer.TIMEOUT);
    }
  }

  @Test
  void retriesCommitsOnlyAfterErrorsThatRuleOutTheirExecution() {
    AtomicInteger asked = new AtomicInteger();
    try (Peer peer =
        peer(
            false,
            request -> {
              switch (asked.incrementAndGet()) {
                case 1 -> refuse(request, 503, "OVERLOADED: full");
                case 2 -> refuse(request, 503, "GOING_AWAY: soon");
                case 3 -> refuse(request, 429, "");
                default -> commit(request);
              }
            })) {
      Kv kv = peer.connect();
      assertThat(get(kv.set(KEY, 1)).version()).isEqualTo(9);
      kv.close().block(Peer.TIMEOUT);
    }
    assertThat(asked).hasValue(4);
    for (int status : new int[] {500, 502, 503, 504}) {
      onceOnly(request -> refuse(request, status, "who knows"));
    }
    onceOnly(request -> request.connection().close());
  }

  private void onceOnly(Consumer<HttpServerRequest> answer) {
    AtomicInteger asked = new AtomicInteger();
    try (Peer peer =
        peer(
            false,
            request -> {
              asked.incrementAndGet();
              answer.accept(request);
            })) {
      Kv kv = peer.connect();
      assertThat(code(kv.set(KEY, 1))).isEqualTo(KvErrorCode.UNAVAILABLE);
      kv.close().block(Peer.TIMEOUT);
    }
    assertThat(asked).hasValue(1);
  }

  @Test
  void reportsAnUnknownOutcomeWhenThePeerHangsUpDuringACommit() {
    AtomicInteger taken = new AtomicInteger();
    NetServer raw =
        vertx
            .createNetServer()
            .connectHandler(
                socket ->
                    socket.handler(
                        bytes -> {
                          taken.incrementAndGet();
                          socket.close();
                        }))
            .listen(0, "127.0.0.1")
            .await();
    String data = "http://127.0.0.1:" + raw.actualPort() + "/v2";
    try (Peer peer = new Peer(vertx, request -> Peer.answerMetadata(request, data, "t"))) {
      Kv kv = peer.connect();
      assertThat(code(kv.set(KEY, 1))).isEqualTo(KvErrorCode.UNAVAILABLE);
      assertThat(taken).hasValue(1);
      kv.close().block(Peer.TIMEOUT);
    }
    raw.close().await();
  }

  @Test
  void retriesCommitsWithAnIdOnlyAtServersOfThisProject() {
    List<String> ids = new CopyOnWriteArrayList<>();
    try (Peer peer =
        peer(
            true,
            request -> {
              ids.add(String.valueOf(request.getHeader("Idempotency-Key")));
              if (ids.size() == 1) {
                request.connection().close();
              } else {
                commit(request);
              }
            })) {
      Kv kv = peer.connect();
      assertThat(get(kv.atomic().sum(KEY, 1).commitId("v 1").commit()).committed()).isTrue();
      kv.close().block(Peer.TIMEOUT);
    }
    assertThat(ids).containsExactly("v+1", "v+1");
    try (Peer peer = peer(false, RetryingCallerTest::commit)) {
      Kv kv = peer.connect();
      assertThat(code(kv.atomic().sum(KEY, 1).commitId("v").commit()))
          .isEqualTo(KvErrorCode.UNSUPPORTED);
      kv.close().block(Peer.TIMEOUT);
    }
  }

  @Test
  void reportsAnUnknownOutcomeDespiteALaterRefusal() {
    AtomicInteger asked = new AtomicInteger();
    try (Peer peer =
        peer(
            true,
            request -> {
              if (asked.incrementAndGet() == 1) {
                request.connection().close();
              } else {
                refuse(request, 403, "FORBIDDEN: no more");
              }
            })) {
      Kv kv = peer.connect();
      assertThat(code(kv.atomic().sum(KEY, 1).commitId("v").commit()))
          .isEqualTo(KvErrorCode.UNAVAILABLE);
      kv.close().block(Peer.TIMEOUT);
    }
  }

  @Test
  void mapsRefusalsToErrorCodes() {
    refusal(400, "LIMIT_EXCEEDED: key of 9 bytes", KvErrorCode.LIMIT_EXCEEDED);
    refusal(400, "BAD_REQUEST: what?", KvErrorCode.INVALID_ARGUMENT);
    refusal(403, "", KvErrorCode.FORBIDDEN);
    refusal(413, "", KvErrorCode.LIMIT_EXCEEDED);
    refusal(418, "", KvErrorCode.INVALID_ARGUMENT);
    refusal(501, "", KvErrorCode.UNSUPPORTED);
    refusal(422, "CORRUPT: page 7", KvErrorCode.CORRUPT);
    refusal(503, "DISK_FULL: no room", KvErrorCode.DISK_FULL);
    refusal(503, "IO_FAILED: sync", KvErrorCode.IO_FAILED);
    refusal(400, "Failed to perform 'sum' mutation on a non-U64 value", KvErrorCode.TYPE_MISMATCH);
    refusal(
        400,
        "The result of a Sum operation would exceed its range limit",
        KvErrorCode.OUT_OF_RANGE);
    refusal(400, "key too large", KvErrorCode.LIMIT_EXCEEDED);
  }

  private void refusal(int status, String text, KvErrorCode expected) {
    try (Peer peer = peer(false, request -> refuse(request, status, text))) {
      Kv kv = peer.connect();
      assertThat(code(kv.atomic().sum(KEY, 1).commit()))
          .as(status + " " + text)
          .isEqualTo(expected);
      kv.close().block(Peer.TIMEOUT);
    }
  }

  @Test
  void reportsAllChecksWhenTheServerNamesNone() {
    byte[] failed =
        AtomicWriteOutput.newBuilder()
            .setStatus(AtomicWriteStatus.AW_CHECK_FAILURE)
            .build()
            .toByteArray();
    try (Peer peer = peer(false, request -> Peer.answer(request, failed))) {
      Kv kv = peer.connect();
      assertThat(get(kv.atomic().checkAbsent(KEY).checkAbsent(KvKey.of("b")).commit()))
          .isEqualTo(CommitResult.conflict(List.of(0, 1)));
      assertThat(code(kv.set(KEY, 1))).isEqualTo(KvErrorCode.UNAVAILABLE);
      kv.close().block(Peer.TIMEOUT);
    }
  }

  @Test
  void rejectsUnsupportedOperationsBeforeSending() {
    AtomicInteger asked = new AtomicInteger();
    try (Peer peer = peer(false, request -> asked.incrementAndGet())) {
      Kv kv = peer.connect();
      List<Mono<?>> calls =
          Arrays.asList(
              kv.deleteRange(KvRange.all()),
              kv.atomic().touch(KEY, java.time.Duration.ofDays(1)).commit(),
              kv.count(KvRange.all()),
              kv.admin().stats(),
              kv.admin().verify().last(),
              kv.changes(KvRange.all(), null).next(),
              kv.admin().backup(directory).next(),
              kv.admin().exportLines(KvRange.all()).next(),
              kv.transact(tx -> tx.list(KvRange.all()).then()));
      calls.forEach(call -> assertThat(code(call)).isEqualTo(KvErrorCode.UNSUPPORTED));
      assertThat(code(kv.set(KEY, new byte[65_537]))).isEqualTo(KvErrorCode.LIMIT_EXCEEDED);
      kv.close().block(Peer.TIMEOUT);
    }
    assertThat(asked).hasValue(0);
  }

  @Test
  void failsPendingCallsOnClose() {
    try (Peer silent = peer(false, request -> {})) {
      Kv kv = silent.connect();
      var read = kv.get(KEY).cache();
      var write = kv.set(KEY, 1).cache();
      var watch = kv.watch(List.of(KEY), Object.class).then().cache();
      read.subscribe(ignored -> {}, ignored -> {});
      write.subscribe(ignored -> {}, ignored -> {});
      watch.subscribe();
      kv.close().block(Peer.TIMEOUT);
      assertThat(failure(read).code()).isIn(KvErrorCode.UNAVAILABLE, KvErrorCode.CLOSED);
      assertThat(failure(write).code()).isIn(KvErrorCode.UNAVAILABLE, KvErrorCode.CLOSED);
      watch.block(Peer.TIMEOUT);
      assertThat(code(kv.get(KEY))).isEqualTo(KvErrorCode.CLOSED);
    }
  }
}
