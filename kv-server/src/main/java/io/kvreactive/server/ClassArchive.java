package io.kvreactive.server;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * Loads the classes of client commands, so that Java lists them for a class data sharing archive.
 * {@code ./kv} runs it once after a build. The commands ask a server of this process, which has one
 * answer for everything.
 */
final class ClassArchive {
  private static final String ANSWER =
      """
      {"key":["a"],"value":1,"versionstamp":"00000000000000010000","committed":true,"count":1,\
      "databases":[],"collections":[]}
      """;

  private ClassArchive() {}

  public static void main(String[] args) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = ANSWER.getBytes(StandardCharsets.UTF_8);
          exchange.getRequestBody().readAllBytes();
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, body.length);
          try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
          }
        });
    server.start();
    String url = "http://127.0.0.1:" + server.getAddress().getPort();
    String[][] commands = {
      {"get", "a"},
      {"set", "a/1", "{\"b\":[1]}"},
      {"list", "--limit", "1"},
      {"count"},
      {"sum", "n"},
      {"databases"},
      {"query", "c", "SELECT * FROM c"},
      {"list", "-o", "table"},
      {"del", "a"},
      {"collection", "list"},
      {"get", "--help"}
    };
    int failed = 0;
    for (String[] command : commands) {
      String[] all = java.util.Arrays.copyOf(command, command.length + 2);
      all[command.length] = "--url=" + url;
      all[command.length + 1] = "--token=t";
      failed |= KvMain.run(all);
    }
    server.stop(0);
    System.exit(failed);
  }
}
