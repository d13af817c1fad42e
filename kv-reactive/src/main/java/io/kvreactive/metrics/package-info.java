/**
 * Meters of the statistics for <a href="https://micrometer.io">Micrometer</a>, which is an optional
 * dependency. Open {@link io.kvreactive.metrics.KvMetrics} first.
 */
@NullMarked
package io.kvreactive.metrics;

import org.jspecify.annotations.NullMarked;
