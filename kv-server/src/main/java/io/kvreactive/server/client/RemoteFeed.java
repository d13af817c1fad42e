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

/**
 * A change feed of a server, of keys or of a collection. It is resumed at the last received
 * position.
 */
final class RemoteFeed {
  private static final String EVENTS = "text/event-stream";
  private static final String EVENT = "event:";
  private static final String DATA = "data:";
  private static final String ID = "id:";

  private final RestClient http;
  private final String path;
  private final String element;
  private final Map<String, String> range;
  private final Consumer<ObjectNode> commits;
  private final ReconnectLoop reconnect;
  private @Nullable String since;

  /**
   * Creates a feed.
   *
   * @param element the name of the events to pass on
   */
  RemoteFeed(
      RestClient http,
      String path,
      String element,
      Map<String, String> range,
      @Nullable String since,
      Consumer<ObjectNode> commits,
      ReconnectLoop reconnect) {
    this.http = http;
    this.path = path;
    this.element = element;
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
    try (BufferedReader reader = http.stream("GET", path, query, EVENTS, null)) {
      String event = "";
      String id = null;
      String line = reader.readLine();
      while (line != null) {
        if (line.startsWith(ID)) {
          id = line.substring(ID.length()).strip();
        } else if (line.startsWith(EVENT)) {
          event = line.substring(EVENT.length()).strip();
        } else if (line.startsWith(DATA)) {
          take(event, CliJson.sent(line.substring(DATA.length()).strip()));
          since = id == null ? since : id;
          id = null;
        }
        line = reader.readLine();
      }
    } catch (IOException e) {
      throw http.lost(e);
    }
    throw new CliException(ExitCode.UNREACHABLE, "the server ended the stream");
  }

  private void take(String event, ObjectNode json) {
    if (event.equals(element)) {
      reconnect.answered();
      commits.accept(json);
      return;
    }
    switch (event) {
      case "error" ->
          throw CliException.of(json.path("code").asText(), json.path("detail").asText());
      case "bookmark" -> reconnect.answered();
      case "goingAway" -> {
        JsonNode resume = json.path("resume");
        since = resume.isTextual() ? resume.asText() : since;
      }
      default -> {} // an event of a later version
    }
  }
}
