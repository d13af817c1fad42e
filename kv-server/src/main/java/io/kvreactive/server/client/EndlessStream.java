package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.http.client.AttemptFailure;
import io.kvreactive.http.client.AttemptFailure.Kind;
import io.kvreactive.http.client.ClientEventLoop;
import io.kvreactive.http.client.HttpTransport;
import io.kvreactive.http.client.RemoteStream;
import io.kvreactive.http.client.ServerAccess;
import io.kvreactive.http.client.ServerProblem;
import io.kvreactive.http.client.StreamPool;
import io.kvreactive.http.client.StreamProtocol;
import io.kvreactive.server.ExitCode;
import io.kvreactive.server.serve.LogSetup;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.ProxyOptions;
import io.vertx.core.net.TrustOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * A stream of a server without end: a watch, a change feed or a watched query. After a lost
 * connection, a feed continues, and others begin again. Vert.x runs while the stream does; no other
 * request of a command needs it.
 */
final class EndlessStream implements StreamProtocol<ObjectNode>, StreamPool.Codec {
  /** The messages that wait for the consumer. Of a watch, the newest state is sufficient. */
  private static final int AHEAD = 16;

  private static final String SINCE = "since";

  private final RestClient http;
  private final ObjectNode request;
  private final boolean isWatch;
  private final ConnectionNotices notices;

  /**
   * Creates a stream.
   *
   * @param request the message that opens the stream, without id and credit
   * @param notices the consumer of messages about lost and restored connections
   */
  EndlessStream(RestClient http, ObjectNode request, Consumer<String> notices) {
    this.http = http;
    this.request = request;
    this.isWatch = request.path("op").asText().equals("watch");
    this.notices = new ConnectionNotices(notices);
  }

  /**
   * Sets the position after which a feed starts.
   *
   * @param since a versionstamp; null or {@code now} for the newest one
   */
  EndlessStream after(@Nullable String since) {
    if (since != null && !since.equals("now")) {
      request.put(SINCE, since);
    }
    return this;
  }

  /**
   * Passes the messages to a consumer, without their ids, until the stream fails or the thread is
   * interrupted.
   */
  void follow(Consumer<ObjectNode> messages) {
    LogSetup.quiet();
    System.setProperty("vertx.disableDnsResolver", "true"); // the JDK resolves names
    Vertx vertx = // no warnings of a busy machine: nothing blocks
        Vertx.vertx(
            new VertxOptions()
                .setEventLoopPoolSize(1)
                .setBlockedThreadCheckInterval(Integer.MAX_VALUE));
    boolean interrupted = false;
    try (Stream<ObjectNode> stream =
        RemoteStream.of(pool(vertx), () -> this).toStream(isWatch ? 1 : AHEAD)) {
      stream.forEach(message -> consume(message, messages));
    } catch (RuntimeException e) {
      interrupted = Thread.interrupted() || e.getCause() instanceof InterruptedException;
      if (!interrupted) {
        throw failure(e);
      }
    } finally {
      interrupted |= Thread.interrupted();
      vertx.close().await();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Passes a message on, unless the thread was interrupted: a backlog is not waited for. */
  private static void consume(ObjectNode message, Consumer<ObjectNode> messages) {
    if (Thread.currentThread().isInterrupted()) {
      throw new CancellationException();
    }
    messages.accept(message);
  }

  private StreamPool pool(Vertx vertx) {
    int millis = (int) Math.min(Integer.MAX_VALUE, http.timeout().toMillis());
    TrustManager trust = http.trust();
    ServerAccess server =
        new ServerAccess(
            URI.create(http.base() + "/api/v1"),
            http.token(),
            trust == null ? null : new ClientSSLOptions().setTrustOptions(TrustOptions.wrap(trust)),
            proxy(http.base()),
            millis,
            millis,
            0);
    HttpTransport pauses = new HttpTransport(vertx, millis, HttpVersion.HTTP_1_1, server.tls());
    ClientEventLoop loop = new ClientEventLoop(vertx.getOrCreateContext());
    return new StreamPool(vertx, loop, server, pauses, this);
  }

  /** Returns the proxy that the JDK's client uses; null for none. */
  private static @Nullable ProxyOptions proxy(URI base) {
    ProxySelector selector = ProxySelector.getDefault();
    return selector == null
        ? null
        : selector.select(base).stream()
            .filter(proxy -> proxy.type() == Proxy.Type.HTTP)
            .map(proxy -> (InetSocketAddress) proxy.address())
            .map(at -> new ProxyOptions().setHost(at.getHostString()).setPort(at.getPort()))
            .findFirst()
            .orElse(null);
  }

  // ---- messages

  @Override
  public boolean limitsBytes() {
    return !isWatch;
  }

  @Override
  public boolean replaces(ObjectNode newer, ObjectNode older) {
    return isWatch;
  }

  @Override
  public ObjectNode request() {
    return request;
  }

  @Override
  public int receive(JsonNode received, Consumer<ObjectNode> messages) {
    notices.answered();
    ObjectNode message = ((ObjectNode) received).without("id");
    String type = message.path("type").asText();
    if (type.equals("commit") || type.equals("bookmark")) {
      request.set(SINCE, message.path("versionstamp"));
    }
    switch (type) {
      case "commit", "state", "insert", "update", "remove" -> {
        messages.accept(message);
        return 1;
      }
      case "listed" -> messages.accept(message);
      default -> {} // a bookmark, or a message of a later version
    }
    return 0;
  }

  @Override
  public JsonNode parse(byte[] json) {
    return CliJson.sent(new String(json, StandardCharsets.UTF_8));
  }

  @Override
  public String text(JsonNode json) {
    return CliJson.print(json);
  }

  // ---- failures

  @Override
  public void lost(RuntimeException reason) {
    if (failure(reason) instanceof CliException known) {
      notices.lost(known);
    }
  }

  /** Returns the failure for an error of the server, which may be that of a proxy. */
  @Override
  public AttemptFailure failure(ServerProblem problem) {
    CliException shown = RestClient.failure(problem);
    boolean isLoss = shown.exitCode() == ExitCode.UNREACHABLE || problem.isTransient();
    Kind kind =
        isLoss || problem.code() == null && problem.status() >= 500 ? Kind.UNKNOWN : Kind.FINAL;
    return new AttemptFailure(kind, shown, problem.pauseMillis());
  }

  private RuntimeException failure(RuntimeException failure) {
    if (!(failure instanceof KvException lost) || lost.code() != KvErrorCode.UNAVAILABLE) {
      return failure instanceof KvError known ? CliException.of(known) : failure;
    }
    Throwable cause = lost.getCause();
    if (cause instanceof SSLException && cause.getCause() != null) {
      cause = cause.getCause(); // Vert.x' own does not say why
    }
    return cause instanceof IOException io
        ? http.lost(io)
        : new CliException(ExitCode.UNREACHABLE, lost.detail());
  }
}
