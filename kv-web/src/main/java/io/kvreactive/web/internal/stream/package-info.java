/** The WebSocket {@code /api/v1/stream}. */
@NullMarked
package io.kvreactive.web.internal.stream;

import org.jspecify.annotations.NullMarked;
