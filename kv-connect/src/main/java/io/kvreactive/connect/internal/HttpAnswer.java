package io.kvreactive.connect.internal;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;

/** A whole answer. */
record HttpAnswer(int status, MultiMap headers, Buffer body) {}
