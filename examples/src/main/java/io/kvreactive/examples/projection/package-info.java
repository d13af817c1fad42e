/** Totals that follow orders by the change feed. */
@NullMarked
package io.kvreactive.examples.projection;

import org.jspecify.annotations.NullMarked;
