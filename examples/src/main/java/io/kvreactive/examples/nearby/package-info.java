/** Places of the earth and queries for those nearby. Open {@link Places} first. */
@NullMarked
package io.kvreactive.examples.nearby;

import org.jspecify.annotations.NullMarked;
