/** Documents with indexes against the bare store, and against SQL databases. */
@NullMarked
package io.kvreactive.bench.index;

import org.jspecify.annotations.NullMarked;
