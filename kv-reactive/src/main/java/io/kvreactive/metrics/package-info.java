/**
 * Statistics for <a href="https://micrometer.io">Micrometer</a>, when it is on the class path;
 * nothing else of the toolkit needs it. Open {@link io.kvreactive.metrics.KvMetrics} first.
 */
@NullMarked
package io.kvreactive.metrics;

import org.jspecify.annotations.NullMarked;
