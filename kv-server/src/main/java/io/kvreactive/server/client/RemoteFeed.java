package io.kvreactive.server.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.server.ExitCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The change feed of a server, which is resumed after the last received versionstamp. */
final class RemoteFeed {
  private static final String EVENTS = "text/event-stream";
  private static final String EVENT = "event:";
  private static final String DATA = "data:";

  private final RestClient http;
  private final Map<String, String> range;
  private final Consumer<ObjectNode> commits;
  private final ReconnectLoop reconnect;
  private @Nullable String since;

  RemoteFeed(
      RestClient http,
      Map<String, String> range,
      @Nullable String since,
      Consumer<ObjectNode> commits,
      ReconnectLoop reconnect) {
    this.http = http;
    this.range = range;
    this.since = since;
    this.commits = commits;
    this.reconnect = reconnect;
  }

  /** Passes commits to the consumer. Does not return normally. */
  void run() {
    reconnect.keep(this::follow);
  }

  private void follow() {
    Map<String, String> query = new LinkedHashMap<>(range);
    if (since != null) {
      query.put("since", since);
    }
    try (BufferedReader reader = http.stream("GET", "/api/v1/changes", query, EVENTS, null)) {
      String event = "";
      String line = reader.readLine();
      while (line != null) {
        if (line.startsWith(EVENT)) {
          event = line.substring(EVENT.length()).strip();
        } else if (line.startsWith(DATA)) {
          take(event, CliJson.sent(line.substring(DATA.length()).strip()));
        }
        line = reader.readLine();
      }
    } catch (IOException e) {
      throw http.lost(e);
    }
    throw new CliException(ExitCode.UNREACHABLE, "the server ended the stream");
  }

  private void take(String event, ObjectNode json) {
    switch (event) {
      case "error" ->
          throw CliException.of(json.path("code").asText(), json.path("detail").asText());
      case "commit" -> {
        reconnect.answered();
        commits.accept(json);
        since = json.path("versionstamp").asText();
      }
      case "bookmark" -> {
        reconnect.answered();
        since = json.path("versionstamp").asText();
      }
      case "goingAway" -> {
        JsonNode resume = json.path("resume");
        since = resume.isTextual() ? resume.asText() : since;
      }
      default -> {} // an event of a later version
    }
  }
}
