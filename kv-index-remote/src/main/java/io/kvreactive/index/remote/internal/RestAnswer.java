package io.kvreactive.index.remote.internal;

import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * A response.
 *
 * @param retryAfter the value of the header {@code Retry-After}, or null
 */
record RestAnswer(int status, @Nullable String retryAfter, Buffer body) {}
