package io.kvreactive.web.internal.feed;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.web.internal.rest.Rest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Reads a stream of events by the rules of browsers. */
public final class Events implements AutoCloseable {
  /** The lines up to an empty line: an event or a comment. */
  public record Event(String id, String name, String comment, Map<String, String> fields) {
    public JsonNode data() {
      return Rest.json(fields.get("data"));
    }
  }

  private final HttpResponse<Stream<String>> response;
  private final Iterator<String> lines;

  private Events(HttpResponse<Stream<String>> response) {
    this.response = response;
    this.lines = response.body().iterator();
  }

  static Events of(Rest rest, String query, String... headers) throws Exception {
    return at(rest, "/changes" + query, headers);
  }

  public static Events at(Rest rest, String path, String... headers) throws Exception {
    String[] all = java.util.Arrays.copyOf(headers, headers.length + 2);
    all[headers.length] = "Accept";
    all[headers.length + 1] = "text/event-stream";
    HttpResponse<Stream<String>> response =
        Rest.client().send(rest.request("GET", path, null, all), BodyHandlers.ofLines());
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("Content-Type")).contains("text/event-stream");
    return new Events(response);
  }

  String header(String name) {
    return response.headers().firstValue(name).orElse("");
  }

  /** Returns the next event, past comments; null at the end. */
  public Event next() throws Exception {
    Event next = eventOrComment();
    while (next != null && next.fields().isEmpty()) {
      next = eventOrComment();
    }
    return next;
  }

  /** Returns the next event or comment; null at the end. */
  public Event eventOrComment() throws Exception {
    return CompletableFuture.supplyAsync(this::read).get(60, TimeUnit.SECONDS);
  }

  private Event read() {
    Map<String, String> fields = new HashMap<>();
    String comment = null;
    while (lines.hasNext()) {
      String line = lines.next();
      if (line.isEmpty()) {
        return new Event(fields.get("id"), fields.get("event"), comment, fields);
      }
      int colon = line.indexOf(':');
      if (colon == 0) {
        comment = line.substring(1);
      } else {
        fields.put(line.substring(0, colon), line.substring(colon + 2));
      }
    }
    return null;
  }

  /** Returns the next event of a name, past events of other names. */
  public Event next(String name) throws Exception {
    for (Event event = next(); event != null; event = next()) {
      if (name.equals(event.name())) {
        return event;
      }
    }
    throw new AssertionError("the stream ended without " + name);
  }

  @Override
  public void close() {
    response.body().close();
  }
}
