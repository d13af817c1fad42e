package io.kvreactive.http.client;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * A request.
 *
 * @param safety the condition of a repetition
 * @param resetOnCancel true to reset the stream on cancel; otherwise the server completes a request
 *     that was sent
 */
public record HttpCall(
    HttpMethod method,
    URI uri,
    MultiMap headers,
    @Nullable Buffer body,
    Limits limits,
    Safety safety,
    boolean resetOnCancel) {

  /** Returns this request with a header, which replaces those with the same name. */
  public HttpCall with(String header, String value) {
    MultiMap more = MultiMap.caseInsensitiveMultiMap().setAll(headers).set(header, value);
    return new HttpCall(method, uri, more, body, limits, safety, resetOnCancel);
  }

  public HttpCall with(Safety other) {
    return new HttpCall(method, uri, headers, body, limits, other, resetOnCancel);
  }

  public HttpCall with(Limits other) {
    return new HttpCall(method, uri, headers, body, other, safety, resetOnCancel);
  }

  /** Returns the method and the origin, without the token and the content. */
  @Override
  public String toString() {
    return method + " " + ServerUrls.origin(uri);
  }

  /** The condition under which a request is sent again. */
  public enum Safety {
    /** A read, or another idempotent request. It is repeated after every transient failure. */
    REPEATABLE,
    /**
     * A write that takes effect at most once, by an etag or an id. It is repeated like a read.
     * After an attempt that may have taken effect, only success can tell the outcome.
     */
    CONDITIONAL,
    /** Any other write. It is repeated only after failures without an effect. */
    ONCE
  }

  /**
   * The limits of one exchange; 0 for no limit of time.
   *
   * @param maxBytes the maximum size of a collected response
   * @param headMillis the maximum time until the response's head
   * @param totalMillis the maximum time until the response is complete
   * @param idleMillis the maximum time without a byte of the response, from the begin of the
   *     request, unless its total time is limited; up to twice as long after the head
   */
  public record Limits(int maxBytes, long headMillis, long totalMillis, long idleMillis) {}
}
