/** Compares documents with indexes with the plain store and with SQL databases. */
@NullMarked
package io.kvreactive.bench.index;

import org.jspecify.annotations.NullMarked;
