package io.kvreactive.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * {@code kv serve} with its defaults in a JVM of its own that has a small heap and ends on
 * OutOfMemoryError, as the packaged server does. Set {@code -Dkv.attacked.jar=FILE} to attack a
 * packaged {@code kv.jar} instead of the compiled classes.
 */
public final class AttackedServer implements AutoCloseable {
  private static final String ADMIN = "admin-token-of-the-attacked-server";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final Process process;
  private final Path err;
  private final URI uri;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private AttackedServer(Process process, Path err, URI uri) {
    this.process = process;
    this.err = err;
    this.uri = uri;
  }

  /**
   * Starts a server and waits until it listens.
   *
   * @param heap the value of {@code -Xmx}, such as 256m
   */
  public static AttackedServer start(Path directory, String heap, String... flags)
      throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx" + heap, "-XX:+ExitOnOutOfMemoryError"));
    String jar = System.getProperty("kv.attacked.jar");
    command.addAll(
        jar == null
            ? Stream.concat(SharedClasses.flags().stream(), Stream.of(KvProcess.MAIN)).toList()
            : List.of("-jar", jar));
    command.addAll(
        List.of("serve", "--port", "0", "--path", directory.toString(), "--token", ADMIN));
    command.addAll(List.of(flags));
    Path err = Files.createTempFile("kv-attacked", ".err");
    Process process = new ProcessBuilder(command).redirectError(err.toFile()).start();
    String prefix = "listening on ";
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String line = out.readLine();
    if (line == null || !line.startsWith(prefix)) {
      process.destroyForcibly().onExit().join();
      throw new AssertionError(line + "\n" + Files.readString(err));
    }
    return new AttackedServer(process, err, URI.create(line.substring(prefix.length())));
  }

  public URI uri() {
    return uri;
  }

  public int port() {
    return uri.getPort();
  }

  /** Returns false if the process has ended, which is the goal of an attack. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Returns the log of the server without the access log. */
  public String log() throws IOException {
    return Files.readString(err)
        .lines()
        .filter(line -> !line.contains(" access ") && !line.contains(" audit "))
        .collect(Collectors.joining("\n"));
  }

  /** Creates a token and returns its secret. */
  public String token(String name, String... access) throws Exception {
    String body =
        JSON.createObjectNode()
            .put("name", name)
            .set("access", JSON.valueToTree(access))
            .toString();
    HttpResponse<String> answer = send(ADMIN, "POST", "/api/v1/tokens", body);
    return json(answer).path("token").asText();
  }

  /** Sends JSON with a token for all operations. Fails unless the answer is a success. */
  public JsonNode admin(String method, String path, String body) throws Exception {
    HttpResponse<String> answer = send(ADMIN, method, path, body);
    if (answer.statusCode() >= 300) {
      throw new AssertionError(method + " " + path + ": " + answer.statusCode() + answer.body());
    }
    return json(answer);
  }

  private static JsonNode json(HttpResponse<String> answer) throws IOException {
    return JSON.readTree(answer.body());
  }

  /** Sends JSON. */
  public HttpResponse<String> send(String token, String method, String path, String body)
      throws Exception {
    return client.send(request(token, method, path, body), HttpResponse.BodyHandlers.ofString());
  }

  /** Returns a request with a JSON body. */
  public HttpRequest request(String token, String method, String path, String body) {
    return HttpRequest.newBuilder(URI.create(uri + path))
        .timeout(TIMEOUT)
        .header("Authorization", "Bearer " + token)
        .header("Content-Type", "application/json")
        .method(method, HttpRequest.BodyPublishers.ofString(body))
        .build();
  }

  /** Returns the value of a metric without labels. */
  public double metric(String name) throws Exception {
    return send(ADMIN, "GET", "/metrics", "")
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no metric " + name));
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly().onExit().join();
    Files.deleteIfExists(err);
  }
}
