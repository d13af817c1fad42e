package io.kvreactive.http.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.http.client.AttemptFailure.Kind;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/** Streams of a server whose messages the test determines. */
@ExtendWith(VertxExtension.class)
class RemoteStreamTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The messages of clients, and {@code closed} for each connection that has ended. */
  private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

  private final List<String> lost = new CopyOnWriteArrayList<>();
  private volatile @Nullable ServerWebSocket socket;
  private volatile boolean refuses;
  private HttpServer server;
  private HttpTransport transport;
  private StreamPool pool;
  private Numbers numbers;

  /** A feed of numbers, each of which replaces the one before if it counts states. */
  private final class Numbers implements StreamProtocol<Integer> {
    private final ObjectNode request = JSON.createObjectNode().put("op", "numbers");
    private final boolean areStates;

    Numbers(boolean areStates) {
      this.areStates = areStates;
    }

    @Override
    public boolean limitsBytes() {
      return !areStates;
    }

    @Override
    public boolean replaces(Integer newer, Integer older) {
      return areStates;
    }

    @Override
    public ObjectNode request() {
      return request;
    }

    @Override
    public int receive(JsonNode message, Consumer<Integer> elements) {
      request.set("since", message.path("n"));
      elements.accept(message.path("n").intValue());
      return 1;
    }

    @Override
    public void lost(RuntimeException reason) {
      lost.add(String.valueOf(reason.getMessage()));
    }
  }

  private static final class TestCodec implements StreamPool.Codec {
    @Override
    public JsonNode parse(byte[] json) {
      try {
        return JSON.readTree(json);
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public String text(JsonNode json) {
      return json.toString();
    }

    @Override
    public AttemptFailure failure(ServerProblem problem) {
      Kind kind = problem.isTransient() ? Kind.NOT_DONE : Kind.FINAL;
      return AttemptFailure.of(kind, KvErrorCode.UNSUPPORTED, problem.text());
    }
  }

  private static final class Subscriber extends BaseSubscriber<Integer> {
    final BlockingQueue<Object> signals = new LinkedBlockingQueue<>();

    @Override
    protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {}

    @Override
    protected void hookOnNext(Integer number) {
      signals.add(number);
    }

    @Override
    protected void hookOnError(Throwable failure) {
      signals.add(failure);
    }
  }

  @BeforeEach
  void open(Vertx vertx) {
    server =
        vertx
            .createHttpServer()
            .webSocketHandshakeHandler(
                handshake -> {
                  if (refuses) {
                    var unused = handshake.reject(403);
                  } else {
                    var unused = handshake.accept();
                  }
                })
            .webSocketHandler(
                opened -> {
                  socket = opened;
                  opened.textMessageHandler(received::add);
                  opened.closeHandler(closed -> received.add("closed"));
                })
            .listen(0, "127.0.0.1")
            .await();
    ServerAccess access =
        new ServerAccess(
            URI.create("http://127.0.0.1:" + server.actualPort()),
            "secret",
            null,
            null,
            60_000,
            60_000,
            0);
    transport = new HttpTransport(vertx, 60_000, HttpVersion.HTTP_1_1, null);
    pool =
        new StreamPool(
            vertx,
            new ClientEventLoop(vertx.getOrCreateContext()),
            access,
            transport,
            new TestCodec());
  }

  @AfterEach
  void close() {
    transport.close().await();
    pool.close().await();
    server.close().await();
  }

  private Subscriber subscribe(boolean areStates, long demand) {
    numbers = new Numbers(areStates);
    Flux<Integer> stream = RemoteStream.of(pool, () -> numbers);
    Subscriber subscriber = new Subscriber();
    stream.subscribe(subscriber);
    subscriber.request(demand);
    return subscriber;
  }

  private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
    T next = queue.poll(60, TimeUnit.SECONDS);
    if (next == null) {
      throw new AssertionError("nothing");
    }
    return next;
  }

  private void send(int id, int number) {
    var unused =
        socket.writeTextMessage("{\"id\":%d,\"type\":\"n\",\"n\":%d}".formatted(id, number));
  }

  @Test
  void sendsItsDemandAsCredit() throws Exception {
    Subscriber subscriber = subscribe(false, 2);
    assertThat(next(received))
        .isEqualTo("{\"id\":1,\"op\":\"numbers\",\"credit\":2,\"creditBytes\":4194304}");
    send(1, 5);
    send(1, 6);
    assertThat(next(subscriber.signals)).isEqualTo(5);
    assertThat(next(subscriber.signals)).isEqualTo(6);
    subscriber.request(3);
    assertThat(next(received)).startsWith("{\"op\":\"credit\",\"id\":1,\"n\":3,\"bytes\":");
    subscriber.cancel();
    assertThat(next(received)).isEqualTo("{\"op\":\"cancel\",\"id\":1}");
  }

  @Test
  void keepsTheNewestStateWithoutCreditOfBytes() throws Exception {
    Subscriber subscriber = subscribe(true, 1);
    assertThat(next(received)).isEqualTo("{\"id\":1,\"op\":\"numbers\",\"credit\":1}");
    send(1, 5);
    assertThat(next(subscriber.signals)).isEqualTo(5);
    send(1, 6); // without credit, as no server does
    send(1, 7);
    send(1, 8);
    var unused = socket.writeTextMessage("{\"id\":1,\"type\":\"error\",\"code\":\"X\"}");
    Subscriber other = subscribe(false, 1);
    assertThat(next(received)).contains("\"id\":2"); // after the messages above
    send(2, 1);
    assertThat(next(other.signals)).isEqualTo(1);
    subscriber.request(1);
    assertThat(next(subscriber.signals)).isEqualTo(8);
    assertThat(next(subscriber.signals)).isInstanceOf(KvException.class);
  }

  @Test
  void continuesAfterALossAndReportsIt() throws Exception {
    Subscriber subscriber = subscribe(false, 10);
    assertThat(next(received)).contains("\"id\":1");
    send(1, 5);
    assertThat(next(subscriber.signals)).isEqualTo(5);
    var unused = socket.close((short) 1001, "stopping");
    assertThat(next(received)).isEqualTo("closed");
    assertThat(next(received)).contains("\"since\":5", "\"credit\":9");
    send(1, 6);
    assertThat(next(subscriber.signals)).isEqualTo(6);
    assertThat(lost).singleElement().asString().contains("1001 stopping");
  }

  @Test
  void failsIfTheServerRefusesTheConnection() throws Exception {
    refuses = true;
    Subscriber subscriber = subscribe(false, 1);
    assertThat(next(subscriber.signals)).isInstanceOf(KvException.class);
    assertThat(lost).isEmpty();
  }

  @Test
  void failsIfTheServerWasNeverReached() throws Exception {
    server.close().await();
    Subscriber subscriber = subscribe(false, 1);
    assertThat(next(subscriber.signals))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.UNAVAILABLE));
  }

  @Test
  void endsWithTheClient() throws Exception {
    Subscriber subscriber = subscribe(false, 1);
    assertThat(next(received)).contains("\"id\":1");
    pool.close().await();
    assertThat(next(subscriber.signals))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.CLOSED));
  }
}
