package io.kvreactive.index.remote.internal;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request.
 *
 * @param path the path below that of the database, with the query
 * @param safety the condition of a retry
 * @param endless true if the time of an attempt is not limited
 * @param retryTime the maximum time of all attempts; null for that of the client
 */
record RestCall(
    HttpMethod method,
    String path,
    Map<String, String> headers,
    @Nullable Buffer body,
    Safety safety,
    boolean endless,
    @Nullable Duration retryTime) {
  private static final String JSON = "application/json";
  static final String NDJSON = "application/x-ndjson";

  /** The condition under which a request is sent again. */
  enum Safety {
    /** A read. It is repeated after every transient failure. */
    READ,
    /**
     * A write that requires an etag, so that it takes effect at most once. It is repeated like a
     * read; a conflict after an attempt of unknown outcome is UNAVAILABLE.
     */
    CONDITIONAL,
    /** Any other write. It is repeated only after failures without an effect. */
    ONCE
  }

  static RestCall get(String path) {
    return new RestCall(
        HttpMethod.GET, path, Map.of("Accept", JSON), null, Safety.READ, false, null);
  }

  static RestCall delete(String path) {
    return new RestCall(
        HttpMethod.DELETE, path, Map.of("Accept", JSON), null, Safety.ONCE, false, null);
  }

  static RestCall send(HttpMethod method, String path, Buffer body, Safety safety) {
    Map<String, String> headers = Map.of("Accept", JSON, "Content-Type", JSON);
    return new RestCall(method, path, headers, body, safety, false, null);
  }

  RestCall with(String header, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(header, value);
    return new RestCall(method, path, more, body, safety, endless, retryTime);
  }

  RestCall safe(Safety other) {
    return new RestCall(method, path, headers, body, other, endless, retryTime);
  }

  /** Returns this request with an answer of lines, without a limit of its time. */
  RestCall lines() {
    return with("Accept", NDJSON).unlimited();
  }

  /** Returns this request without a limit of its time. */
  RestCall unlimited() {
    return new RestCall(method, path, headers, body, safety, true, retryTime);
  }

  RestCall within(Duration time) {
    return new RestCall(method, path, headers, body, safety, endless, time);
  }

  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
