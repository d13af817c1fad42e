package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.web.TestServer;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Sends requests to the REST interface of a test server. */
public final class Rest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final URI server;
  private final String token;
  private final String base;

  public Rest(TestServer server) {
    this(server.uri(""), TestServer.TOKEN, "");
  }

  public Rest(URI server) {
    this(server, TestServer.TOKEN, "");
  }

  private Rest(URI server, String token, String base) {
    this.server = server;
    this.token = token;
    this.base = base;
  }

  public Rest as(String otherToken) {
    return new Rest(server, otherToken, base);
  }

  public Rest at(String otherBase) {
    return new Rest(server, token, otherBase);
  }

  /** Returns the JSON of a key of strings, encoded for a query. */
  public static String key(String... parts) {
    return encode(MAPPER.valueToTree(Arrays.asList(parts)).toString());
  }

  public static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  public static JsonNode json(String text) {
    try {
      return MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw new AssertionError("no JSON: " + text, e);
    }
  }

  public static BodyPublisher body(String text) {
    return BodyPublishers.ofString(text);
  }

  public Answer get(String path, String... headers) {
    return ask("GET", path, null, headers);
  }

  public Answer post(String path, String json, String... headers) {
    return ask("POST", path, body(json), headers);
  }

  public Answer put(String key, String json, String... headers) {
    return ask("PUT", "/entry?key=" + key, body(json), headers);
  }

  /** Sends a request, and checks the answer against the description of the interface. */
  public Answer ask(String method, String path, BodyPublisher body, String... headers) {
    Answer answer = new Answer(method + " " + path, send(request(method, path, body, headers)));
    Described.check(method, "/api/v1" + path, answer);
    return answer;
  }

  private static HttpResponse<String> send(HttpRequest request) {
    try {
      return CLIENT.send(request, BodyHandlers.ofString());
    } catch (IOException e) {
      throw new AssertionError(request.method() + " " + request.uri(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(request.method() + " " + request.uri(), e);
    }
  }

  public HttpResponse<byte[]> raw(String method, String path, String... headers)
      throws IOException, InterruptedException {
    return CLIENT.send(request(method, path, null, headers), BodyHandlers.ofByteArray());
  }

  public HttpRequest request(String method, String path, BodyPublisher body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(server + base + "/api/v1" + path))
            .timeout(TestServer.TIMEOUT)
            .method(method, body == null ? BodyPublishers.noBody() : body)
            .setHeader("Authorization", "Bearer " + token);
    if (body != null) {
      request.setHeader("Content-Type", "application/json");
    }
    for (int i = 0; i < headers.length; i += 2) {
      request.setHeader(headers[i], headers[i + 1]);
    }
    return request.build();
  }

  public static HttpClient client() {
    return CLIENT;
  }

  /** Deletes everything. */
  public void clear() {
    ask("DELETE", "/entries?prefix=%5B%5D", null).is(200);
  }
}
