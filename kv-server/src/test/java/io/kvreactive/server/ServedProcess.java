package io.kvreactive.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code kv serve} in a separate process, on any free port. */
final class ServedProcess implements AutoCloseable {
  static final String TOKEN = "token-of-the-test-that-nobody-guesses";

  final KvProcess process;
  final String url;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private ServedProcess(KvProcess process, String url) {
    this.process = process;
    this.url = url;
  }

  static ServedProcess at(Path directory, String... more) throws Exception {
    return on(0, directory, more);
  }

  static ServedProcess on(int port, Path directory, String... more) throws Exception {
    return start(Map.of(), List.of(), port, directory, more);
  }

  /** Starts a server with environment variables, by another command. */
  static ServedProcess with(
      Map<String, String> environment, List<String> prefix, Path directory, String... more)
      throws Exception {
    return start(environment, prefix, 0, directory, more);
  }

  private static ServedProcess start(
      Map<String, String> environment,
      List<String> prefix,
      int port,
      Path directory,
      String... more)
      throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "serve", "--port", "" + port, "--path", directory.toString(), "--token", TOKEN));
    arguments.addAll(List.of(more));
    return of(KvProcess.start(environment, prefix, arguments.toArray(String[]::new)));
  }

  /** Returns the server of a process that has just been started. */
  static ServedProcess of(KvProcess process) throws IOException {
    String line = process.line();
    if (line == null || !line.startsWith("listening on ")) {
      throw new AssertionError(line + "\n" + process.err());
    }
    return new ServedProcess(process, line.substring("listening on ".length()));
  }

  /** Returns the environment of clients. */
  Map<String, String> environment() {
    return Map.of("KV_URL", url, "KV_TOKEN", TOKEN);
  }

  /** Returns what runs commands on the server. */
  KvRunner commands() {
    return CommandHost.KV.with(environment());
  }

  HttpResponse<String> send(String method, String path, String body) throws Exception {
    return send(method, path, "application/json", body);
  }

  HttpResponse<String> send(String method, String path, String contentType, String body)
      throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create(url + path))
            .timeout(Duration.ofMinutes(2))
            .header("Authorization", "Bearer " + TOKEN)
            .header("Content-Type", contentType)
            .header("Accept", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** Returns the JSON of the answer to a request that succeeds. */
  JsonNode json(String method, String path, String body) throws Exception {
    HttpResponse<String> answer = send(method, path, body);
    if (answer.statusCode() >= 300) {
      throw new AssertionError(answer.body());
    }
    return new ObjectMapper().readTree(answer.body());
  }

  int port() {
    return URI.create(url).getPort();
  }

  /** SIGTERM. */
  void terminate() {
    process.process().toHandle().destroy(); // Process.destroy would close the streams
  }

  @Override
  public void close() throws IOException {
    process.close();
  }
}
