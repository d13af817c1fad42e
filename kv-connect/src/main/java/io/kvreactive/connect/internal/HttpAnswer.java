package io.kvreactive.connect.internal;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;

/** A complete response. */
record HttpAnswer(int status, MultiMap headers, Buffer body) {}
