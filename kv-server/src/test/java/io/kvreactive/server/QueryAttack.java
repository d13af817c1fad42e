package io.kvreactive.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Queries of one token that compute for minutes: a COUNT over a fourfold JOIN of an array (finding
 * S3). Each query has its own connection, and its answer is ignored.
 */
public final class QueryAttack implements AutoCloseable {
  /** A query over 60^4 rows of each of 300 items: 3,888,000,000 steps. */
  public static final String COUNT_OF_JOINS =
      "SELECT VALUE COUNT(1) FROM c JOIN a IN c.arr JOIN b IN c.arr JOIN d IN c.arr JOIN e IN c.arr";

  private static final String QUERY = "/api/v1/collections/numbers/query";
  private static final int ITEMS = 300;
  private static final int ELEMENTS = 60;
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final URI server;
  private final String token;
  private final List<Socket> sockets = new ArrayList<>();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /**
   * @param server the base address
   * @param token the token of the caller
   */
  public QueryAttack(URI server, String token) {
    this.server = server;
    this.token = token;
  }

  /** Creates the collection {@code numbers} that the queries read; takes ADMIN and WRITE access. */
  public void prepare(String database) throws Exception {
    StringBuilder array = new StringBuilder("0");
    for (int i = 1; i < ELEMENTS; i++) {
      array.append(',').append(i);
    }
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < ITEMS; i++) {
      lines.append("{\"id\":\"").append(i).append("\",\"n\":").append(i);
      lines.append(",\"arr\":[").append(array).append("]}\n");
    }
    check(send("PUT", database + "/api/v1/collections/numbers", "application/json", "{}"));
    check(
        send(
            "POST",
            database + "/api/v1/collections/numbers/load",
            "application/x-ndjson",
            lines.toString()));
  }

  private static void check(HttpResponse<String> answer) {
    if (answer.statusCode() >= 300) {
      throw new AssertionError(answer.request() + ": " + answer.statusCode() + answer.body());
    }
  }

  /** Sends a request. Fails if there is no answer within a generous time limit. */
  public HttpResponse<String> send(String method, String path, String type, String body)
      throws Exception {
    return client.send(request(method, path, type, body), HttpResponse.BodyHandlers.ofString());
  }

  private HttpRequest request(String method, String path, String type, String body) {
    return HttpRequest.newBuilder(URI.create(server + path))
        .timeout(TIMEOUT)
        .header("Authorization", "Bearer " + token)
        .header("Content-Type", type)
        .method(method, HttpRequest.BodyPublishers.ofString(body))
        .build();
  }

  /** Sends a query and returns its answer. */
  public HttpResponse<String> query(String database, String sql) throws Exception {
    return client.send(querying(database, sql), HttpResponse.BodyHandlers.ofString());
  }

  /** Sends a query, and returns the body of its answer when that has arrived. */
  public CompletableFuture<String> begin(String database, String sql) {
    return client
        .sendAsync(querying(database, sql), HttpResponse.BodyHandlers.ofString())
        .thenApply(HttpResponse::body);
  }

  /** Requests a page of as many bytes as the server permits, and returns the status. */
  public CompletableFuture<Integer> beginLargePage() {
    String body = "{\"query\":\"SELECT * FROM c\",\"maxPageBytes\":16777216}";
    return client
        .sendAsync(
            request("POST", QUERY, "application/json", body),
            HttpResponse.BodyHandlers.discarding())
        .thenApply(HttpResponse::statusCode);
  }

  private HttpRequest querying(String database, String sql) {
    return request("POST", database + QUERY, "application/json", "{\"query\":\"" + sql + "\"}");
  }

  /** Sends queries, each on a separate connection, without reading the answers. */
  public void begin(String database, int queries) throws IOException {
    String body = "{\"query\":\"" + COUNT_OF_JOINS + "\"}";
    String request =
        "POST "
            + database
            + QUERY
            + " HTTP/1.1\r\nHost: "
            + server.getAuthority()
            + "\r\nAuthorization: Bearer "
            + token
            + "\r\nContent-Type: application/json\r\nContent-Length: "
            + body.length()
            + "\r\n\r\n"
            + body;
    for (int i = 0; i < queries; i++) {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.getPort());
      sockets.add(socket);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    }
  }

  /** Hangs up. */
  @Override
  public void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    sockets.clear();
  }
}
