/**
 * Distributed traces: the W3C header, and spans when OpenTelemetry is there. Open {@link
 * io.kvreactive.web.internal.trace.Tracing} first.
 */
@NullMarked
package io.kvreactive.web.internal.trace;

import org.jspecify.annotations.NullMarked;
