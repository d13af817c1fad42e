/** Meters for statistics. Open {@link io.kvreactive.internal.meter.Latencies} first. */
@NullMarked
package io.kvreactive.internal.meter;

import org.jspecify.annotations.NullMarked;
