/** Places on the earth: where they are, and what is near them. Open {@link Places}. */
@NullMarked
package io.kvreactive.examples.nearby;

import org.jspecify.annotations.NullMarked;
