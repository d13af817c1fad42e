/** Totals that are kept up to date by the change feed. */
@NullMarked
package io.kvreactive.examples.projection;

import org.jspecify.annotations.NullMarked;
