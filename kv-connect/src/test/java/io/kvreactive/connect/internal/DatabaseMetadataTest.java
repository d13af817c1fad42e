package io.kvreactive.connect.internal;

import static io.kvreactive.connect.internal.Peer.code;
import static io.kvreactive.connect.internal.Peer.failure;
import static io.kvreactive.connect.internal.Peer.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvLimits;
import io.kvreactive.connect.LimitsHeader;
import io.kvreactive.connect.wire.SnapshotReadOutput;
import io.kvreactive.connect.wire.SnapshotReadStatus;
import io.kvreactive.http.client.AttemptFailure;
import io.kvreactive.http.client.HttpAnswer;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;

/** Discovery of the endpoints of a database by the client. */
@ExtendWith(VertxExtension.class)
class DatabaseMetadataTest {
  private static final KvKey KEY = KvKey.of("a");

  private Vertx vertx;

  @BeforeEach
  void use(Vertx vertx) {
    this.vertx = vertx;
  }

  /** Returns the answer to a read of an absent key. */
  static byte[] absent() {
    SnapshotReadOutput.Builder output = SnapshotReadOutput.newBuilder();
    output.addRangesBuilder();
    return output
        .setReadIsStronglyConsistent(true)
        .setStatus(SnapshotReadStatus.SR_SUCCESS)
        .build()
        .toByteArray();
  }

  @Test
  void followsRedirectsAndResolvesEndpointsAgainstTheTarget() {
    List<String> asked = new CopyOnWriteArrayList<>();
    try (Peer peer =
        new Peer(
            vertx,
            request -> {
              asked.add(request.method() + " " + request.path());
              switch (request.path()) {
                case "/" ->
                    request.response().setStatusCode(308).putHeader("Location", "/db/x").end();
                case "/db/x" -> Peer.answerMetadata(request, "./x/v2", "data-token");
                default -> {
                  asked.add(request.getHeader("Authorization"));
                  asked.add(request.getHeader("x-denokv-version"));
                  Peer.answer(request, absent());
                }
              }
            })) {
      Kv kv = peer.connect();
      assertThat(get(kv.get(KEY)).exists()).isFalse();
      kv.close().block(Peer.TIMEOUT);
    }
    assertThat(asked)
        .containsExactly(
            "POST /", "POST /db/x", "POST /db/x/v2/snapshot_read", "Bearer data-token", "3");
  }

  @Test
  void sendsNoTokenToAnotherHostAfterARedirect() {
    List<String> seen = new CopyOnWriteArrayList<>();
    try (Peer other =
            new Peer(
                vertx,
                request -> {
                  seen.add(String.valueOf(request.getHeader("Authorization")));
                  request.response().setStatusCode(401).end("who are you?");
                });
        Peer peer =
            new Peer(
                vertx,
                request ->
                    request
                        .response()
                        .setStatusCode(302)
                        .putHeader("Location", other.url() + "/")
                        .end())) {
      assertThatThrownBy(peer::connect)
          .isInstanceOfSatisfying(
              KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.UNAUTHENTICATED));
    }
    assertThat(seen).containsExactly("null");
  }

  @Test
  void stopsCircularRedirects() {
    try (Peer peer =
        new Peer(
            vertx,
            request -> request.response().setStatusCode(307).putHeader("Location", "/").end())) {
      assertThat(refused(peer.url()).detail()).contains("more than 5 redirects");
    }
  }

  @Test
  void followsNoRedirectsOfDataPaths() {
    try (Peer peer =
        new Peer(
            vertx,
            request -> {
              if (request.path().equals("/")) {
                Peer.answerMetadata(request, "/v2", "t");
              } else {
                request.response().setStatusCode(307).putHeader("Location", "/").end();
              }
            })) {
      Kv kv = peer.connect();
      assertThat(code(kv.get(KEY))).isEqualTo(KvErrorCode.UNAVAILABLE);
      kv.close().block(Peer.TIMEOUT);
    }
  }

  @Test
  void exchangesAnExpiredTokenOnceForAllCalls() {
    AtomicInteger exchanges = new AtomicInteger();
    try (Peer peer =
        new Peer(
            vertx,
            request -> {
              if (request.path().equals("/")) {
                Peer.answerMetadata(request, "/v2", "token-" + exchanges.incrementAndGet());
              } else if ("Bearer token-1".equals(request.getHeader("Authorization"))) {
                request.response().setStatusCode(401).end("expired");
              } else {
                Peer.answer(request, absent());
              }
            })) {
      Kv kv = peer.connect();
      assertThat(Flux.range(0, 20).flatMap(i -> kv.get(KEY), 20).count().block(Peer.TIMEOUT))
          .isEqualTo(20);
      assertThat(exchanges.get()).isBetween(2, 3);
      kv.close().block(Peer.TIMEOUT);
    }
  }

  @Test
  void failsWithUnauthenticatedForARejectedToken() {
    try (Peer peer =
        new Peer(
            vertx,
            request -> {
              if (request.path().equals("/")) {
                Peer.answerMetadata(request, "/v2", "t");
              } else {
                request.response().setStatusCode(401).end();
              }
            })) {
      Kv kv = peer.connect();
      assertThat(code(kv.get(KEY))).isEqualTo(KvErrorCode.UNAUTHENTICATED);
      assertThat(code(kv.set(KEY, 1))).isEqualTo(KvErrorCode.UNAUTHENTICATED);
      kv.close().block(Peer.TIMEOUT);
    }
  }

  @Test
  void waitsForAServerThatStartsLate() {
    AtomicInteger asked = new AtomicInteger();
    try (Peer peer =
        new Peer(
            vertx,
            request -> {
              if (asked.incrementAndGet() < 4) {
                request.response().setStatusCode(503).end();
              } else {
                Peer.answerMetadata(request, "/v2", "t");
              }
            })) {
      peer.connect().close().block(Peer.TIMEOUT);
    }
    assertThat(asked).hasValue(4);
  }

  @Test
  void reportsTheReasonForMalformedMetadata() {
    malformed("not a JSON object", json -> null);
    malformed("version: 4", json -> json.put("version", 4));
    malformed("version: 3", json -> json.put("version", "3"));
    malformed("databaseId", json -> json.put("databaseId", "x"));
    malformed("token", json -> json.put("token", ""));
    malformed("token", json -> json.put("token", "a\r\nb"));
    malformed("expiresAt", json -> json.put("expiresAt", "tomorrow"));
    malformed("no strongly consistent endpoint", json -> json.put("endpoints", new JsonArray()));
    malformed("endpoints", json -> json.put("endpoints", new JsonArray().add(1)));
    malformed("expected: http", json -> json.put("endpoints", endpoint("ftp://x/y")));
    malformed("expected: http", json -> json.put("endpoints", endpoint("/v2?a=b")));
  }

  private static JsonArray endpoint(String url) {
    return new JsonArray().add(new JsonObject().put("url", url).put("consistency", "strong"));
  }

  private void malformed(String expected, UnaryOperator<JsonObject> change) {
    JsonObject json = change.apply(Peer.metadata("/v2", "t"));
    try (Peer peer =
        new Peer(
            vertx, request -> request.response().end(json == null ? "<html>" : json.encode()))) {
      assertThat(refused(peer.url()).detail()).contains(expected);
    }
  }

  private KvException refused(String url) {
    KvException failure = failure(new RemoteConnector(Peer.QUICK).connect(vertx, url, Peer.TOKEN));
    assertThat(failure.code()).isEqualTo(KvErrorCode.UNAVAILABLE);
    return failure;
  }

  @Test
  void readsLimitsFromTheHeaderAndDefaultsToThoseOfDeno() {
    assertThat(LimitsHeader.parse(LimitsHeader.print(KvLimits.DEFAULT)))
        .isEqualTo(KvLimits.DEFAULT);
    assertThat(LimitsHeader.parse("maxChecks=7, somethingNew=1"))
        .isEqualTo(KvLimits.DENO.withMaxChecks(7));
    assertThatThrownBy(() -> LimitsHeader.parse("maxChecks")).isInstanceOf(KvException.class);
    try (Peer peer = new Peer(vertx, request -> Peer.answerMetadata(request, "/v2", "t"))) {
      Kv kv = peer.connect();
      assertThat(kv.limits()).isEqualTo(KvLimits.DENO);
      kv.close().block(Peer.TIMEOUT);
    }
  }

  @Test
  void reportsAWrongAddressOrToken() {
    for (String url : List.of("localhost:4512", "ftp://x", "http://", "http://a b", "")) {
      assertThat(code(Kv.connect(vertx, url, Peer.TOKEN)))
          .as(url)
          .isEqualTo(KvErrorCode.INVALID_ARGUMENT);
    }
    assertThat(code(Kv.connect(vertx, "http://127.0.0.1:1", "a b")))
        .isEqualTo(KvErrorCode.INVALID_ARGUMENT);
    assertThat(
            code(
                new RemoteConnector(Peer.quick(200, 200))
                    .connect(vertx, "http://127.0.0.1:1", Peer.TOKEN)))
        .isEqualTo(KvErrorCode.UNAVAILABLE);
    try (Peer peer = new Peer(vertx, request -> request.response().setStatusCode(404).end("no"))) {
      assertThat(code(new RemoteConnector(Peer.QUICK).connect(vertx, peer.url(), Peer.TOKEN)))
          .isEqualTo(KvErrorCode.INVALID_ARGUMENT);
    }
  }

  @ParameterizedTest
  @CsvSource({"https://host, true", "http://host, false"})
  void rejectsEndpointsWithoutTlsBehindTls(URI asked, boolean rejected) {
    HttpAnswer answer =
        new HttpAnswer(
            200,
            MultiMap.caseInsensitiveMultiMap(),
            Peer.metadata("http://host/v2", "t").toBuffer());
    if (rejected) {
      assertThatThrownBy(() -> DatabaseMetadata.parse(answer, asked))
          .isInstanceOf(AttemptFailure.class)
          .hasMessageContaining("expected: https");
    } else {
      assertThat(DatabaseMetadata.parse(answer, asked).endpoints())
          .containsExactly(URI.create("http://host/v2"));
    }
  }
}
