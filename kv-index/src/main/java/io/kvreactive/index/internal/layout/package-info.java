/** The indexes of a collection, compiled, and the entries that an item has in them. */
@NullMarked
package io.kvreactive.index.internal.layout;

import org.jspecify.annotations.NullMarked;
