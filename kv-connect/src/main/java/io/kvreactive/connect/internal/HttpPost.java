package io.kvreactive.connect.internal;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.net.URI;

/**
 * A POST.
 *
 * @param maxAnswerBytes what is taken of an answer's body
 * @param headMillis how long the answer's head may take
 * @param totalMillis how long all of it may take; 0 for an answer without end
 * @param reset whether to reset the stream when nobody wants the answer any more; else the server
 *     is left to do what it was asked
 */
record HttpPost(
    URI uri,
    MultiMap headers,
    Buffer body,
    int maxAnswerBytes,
    long headMillis,
    long totalMillis,
    boolean reset) {}
