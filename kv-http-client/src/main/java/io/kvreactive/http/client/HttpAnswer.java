package io.kvreactive.http.client;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;

/** A complete response. */
public record HttpAnswer(int status, MultiMap headers, Buffer body) {}
