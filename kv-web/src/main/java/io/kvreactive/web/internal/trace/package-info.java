/**
 * Distributed traces: the W3C header, and spans if OpenTelemetry is present. Open {@link
 * io.kvreactive.web.internal.trace.Tracing} first.
 */
@NullMarked
package io.kvreactive.web.internal.trace;

import org.jspecify.annotations.NullMarked;
