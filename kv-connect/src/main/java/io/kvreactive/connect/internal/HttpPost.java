package io.kvreactive.connect.internal;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.net.URI;

/**
 * A POST request.
 *
 * @param maxAnswerBytes the maximum size of the response's body
 * @param headMillis the maximum time until the response's head
 * @param totalMillis the maximum time of the whole response; 0 for an endless response
 * @param reset true to reset the stream on cancel; otherwise the server completes the request
 */
record HttpPost(
    URI uri,
    MultiMap headers,
    Buffer body,
    int maxAnswerBytes,
    long headMillis,
    long totalMillis,
    boolean reset) {}
