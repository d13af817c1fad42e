/**
 * The WebSocket {@code /api/v1/stream}. Start with {@link
 * io.kvreactive.web.internal.stream.StreamRoutes} and {@link
 * io.kvreactive.web.internal.stream.StreamSocket}.
 */
@NullMarked
package io.kvreactive.web.internal.stream;

import org.jspecify.annotations.NullMarked;
