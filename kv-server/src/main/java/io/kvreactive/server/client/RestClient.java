package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvException;
import io.kvreactive.http.client.ServerProblem;
import io.kvreactive.http.client.ServerUrls;
import io.kvreactive.json.Utf8;
import io.kvreactive.server.ExitCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * A blocking HTTP client of one server. Uses the JDK's client, which halves the startup time of a
 * command. It reads from the connection only what is read from its {@code InputStream}. Failures
 * are {@link CliException}s.
 */
public final class RestClient {
  private static final int ERROR_CHARS = 1 << 16;
  private static final String JSON = "application/json";
  private static final String NDJSON = "application/x-ndjson";

  private final URI base;
  private final @Nullable String token;
  private final Duration timeout;
  private final @Nullable Supplier<@Nullable CliException> reason; // null for other processes
  private final @Nullable TrustManager trust;
  private final HttpClient client;

  /**
   * Creates a client.
   *
   * @param base the URL of the database, without a trailing slash
   * @param token the access token, or null
   * @param timeout the maximum time to connect, and until a response begins
   * @param trust the trusted CAs; null for those that Java trusts
   */
  public RestClient(
      URI base, @Nullable String token, Duration timeout, @Nullable TrustManager trust) {
    this(base, token, timeout, trust, null);
  }

  /**
   * Creates a client.
   *
   * @param reason the source of the reason of a failure of a server in this process, or of null if
   *     the response has it; null for other processes. Commits to this process have no ids, which
   *     would be stored: no answer of the server can be lost
   */
  RestClient(
      URI base,
      @Nullable String token,
      Duration timeout,
      @Nullable TrustManager trust,
      @Nullable Supplier<@Nullable CliException> reason) {
    this.base = base;
    this.reason = reason;
    this.token = token;
    this.timeout = timeout;
    this.trust = trust;
    HttpClient.Builder builder =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(timeout);
    if (trust != null || base.getScheme().equals("http")) {
      builder.sslContext(trusting(trust));
    }
    this.client = builder.build();
  }

  /**
   * Returns a context.
   *
   * @param trust the trusted CAs; null for URLs without TLS. By default, the JDK's client reads all
   *     CAs that Java trusts before its first request, which takes as long as the request
   */
  private static SSLContext trusting(@Nullable TrustManager trust) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust == null ? new TrustManager[0] : new TrustManager[] {trust}, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e); // each Java has TLS
    }
  }

  URI base() {
    return base;
  }

  @Nullable String token() {
    return token;
  }

  @Nullable TrustManager trust() {
    return trust;
  }

  Duration timeout() {
    return timeout;
  }

  /** Sends a request and returns the response, which is read as a whole. */
  public ObjectNode json(
      String method, String path, Map<String, String> query, @Nullable ObjectNode body) {
    return json(method, path, query, body, Precondition.NONE);
  }

  /** Sends a request like {@link #json}, which fails unless the resource meets a condition. */
  ObjectNode json(
      String method,
      String path,
      Map<String, String> query,
      @Nullable ObjectNode body,
      Precondition precondition) {
    return answer(method, path, query, body, precondition).body();
  }

  /** A response. */
  record Answer(int status, ObjectNode body) {}

  /** Sends a request like {@link #json}, and returns the status of the response, too. */
  Answer answer(
      String method,
      String path,
      Map<String, String> query,
      @Nullable ObjectNode body,
      Precondition precondition) {
    byte[] bytes = body == null ? null : Utf8.json(body.toString());
    HttpRequest.Builder request = request(method, path, query, JSON, JSON, bytes);
    if (precondition.isAbsent()) {
      request.header("If-None-Match", "*");
    }
    if (precondition.versionstamp() != null) {
      request.header("If-Match", "\"" + precondition.versionstamp() + "\"");
    }
    HttpResponse<InputStream> response = answered(request);
    return new Answer(response.statusCode(), json(response));
  }

  private ObjectNode json(HttpResponse<InputStream> response) {
    try (InputStream in = response.body()) {
      String text = Utf8.decode(in.readAllBytes());
      return text.isEmpty() ? CliJson.object() : CliJson.sent(text);
    } catch (KvException e) {
      throw new CliException(ExitCode.FAILED, "the server's response: " + e.detail());
    } catch (IOException e) {
      throw lost(e);
    }
  }

  /**
   * Sends a request and passes the objects in the lines of the response to a consumer.
   *
   * @param body JSON; null for none
   * @throws CliException also if a line reports a failure
   */
  void objects(
      String method,
      String path,
      Map<String, String> query,
      byte @Nullable [] body,
      Consumer<ObjectNode> objects) {
    lines(method, path, query, body, line -> objects.accept(checked(line)));
  }

  /** Like {@link #objects}, but passes the lines on as they are. */
  void lines(
      String method,
      String path,
      Map<String, String> query,
      byte @Nullable [] body,
      Consumer<String> lines) {
    lines(request(method, path, query, NDJSON, JSON, body), lines);
  }

  /** Posts lines of JSON and passes the objects in the lines of the response to a consumer. */
  void postLines(String path, byte[] body, Consumer<ObjectNode> objects) {
    lines(
        request("POST", path, Map.of(), NDJSON, NDJSON, body),
        line -> objects.accept(checked(line)));
  }

  private void lines(HttpRequest.Builder request, Consumer<String> lines) {
    InputStream body = answered(request).body();
    try (BufferedReader reader =
        new BufferedReader( // rejects malformed UTF-8
            new InputStreamReader(body, StandardCharsets.UTF_8.newDecoder()))) {
      String line = reader.readLine();
      while (line != null) {
        if (!line.isEmpty()) {
          lines.accept(line);
        }
        line = reader.readLine();
      }
    } catch (IOException e) {
      throw lost(e);
    }
  }

  private static ObjectNode checked(String line) {
    ObjectNode json = CliJson.sent(line);
    JsonNode error = json.path("error");
    if (error.isObject()) {
      throw failure(ServerProblem.of(error));
    }
    return json;
  }

  /**
   * Sends a request without a token and returns the status and the text of the response, for any
   * status.
   */
  public Map.Entry<Integer, String> probe(String path) {
    HttpRequest request = HttpRequest.newBuilder(URI.create(base + path)).timeout(timeout).build();
    HttpResponse<InputStream> response = send(request);
    try (InputStream in = response.body()) {
      return Map.entry(
          response.statusCode(),
          new String(in.readNBytes(ERROR_CHARS), StandardCharsets.UTF_8).strip());
    } catch (IOException e) {
      throw lost(e);
    }
  }

  private HttpRequest.Builder request(
      String method,
      String path,
      Map<String, String> query,
      String accept,
      String type,
      byte @Nullable [] body) {
    String requested =
        query.entrySet().stream()
            .map(each -> each.getKey() + "=" + ServerUrls.encoded(each.getValue()))
            .collect(Collectors.joining("&"));
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
                URI.create(base + path + (requested.isEmpty() ? "" : "?" + requested)))
            .timeout(timeout)
            .header("Accept", accept)
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofByteArray(body));
    if (body != null && body.length > 0) {
      request.header("Content-Type", type);
    }
    if (reason == null && path.endsWith("/atomic")) {
      request.header("Idempotency-Key", UUID.randomUUID().toString());
    }
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    return request;
  }

  private HttpResponse<InputStream> answered(HttpRequest.Builder request) {
    HttpResponse<InputStream> response = send(request.build());
    if (response.statusCode() >= 300) {
      throw refused(response);
    }
    return response;
  }

  private HttpResponse<InputStream> send(HttpRequest request) {
    try {
      return client.send(request, HttpResponse.BodyHandlers.ofInputStream());
    } catch (IOException e) {
      throw lost(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CliException(ExitCode.FAILED, "interrupted");
    }
  }

  private RuntimeException refused(HttpResponse<InputStream> response) {
    int status = response.statusCode();
    CliException known = status >= 500 && reason != null ? reason.get() : null;
    if (known != null) {
      return known;
    }
    ServerProblem problem;
    try (InputStream in = response.body()) {
      String text = new String(in.readNBytes(ERROR_CHARS), StandardCharsets.UTF_8);
      problem = ServerProblem.of(status, null, text);
    } catch (IOException e) {
      return lost(e);
    }
    return failure(problem);
  }

  /** Returns the exception for an error that a server has answered. */
  static CliException failure(ServerProblem problem) {
    int status = problem.status();
    String code = problem.code() == null ? "HTTP_" + status : problem.code();
    String detail =
        problem.json().path("detail").asText("the server answered with status " + status);
    JsonNode start = problem.json().at("/errors/0/location/start");
    if (start.isInt()) {
      detail = CliException.at(detail, start.asInt());
    }
    if (status == 401 || status == 403) {
      return new CliException(ExitCode.REFUSED, detail + " (" + code + ")");
    }
    return CliException.of(code, detail);
  }

  /** Returns the exception for a server that cannot be reached. */
  CliException lost(IOException failure) {
    CliException known = reason == null ? null : reason.get();
    if (known != null) {
      return known;
    }
    if (failure instanceof java.net.ConnectException) {
      return new CliException(ExitCode.UNREACHABLE, "cannot reach " + base + ": no connection");
    }
    if (failure instanceof java.nio.charset.CharacterCodingException) {
      return new CliException(ExitCode.FAILED, "the server's answer is not UTF-8");
    }
    Throwable cause = failure;
    while (cause.getMessage() == null && cause.getCause() != null) {
      cause = cause.getCause();
    }
    String why = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    return new CliException(ExitCode.UNREACHABLE, "cannot reach " + base + ": " + why);
  }
}
