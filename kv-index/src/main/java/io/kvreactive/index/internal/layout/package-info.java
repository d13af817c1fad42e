/**
 * The compiled indexes of a collection, and the entries of an item in them. Start with {@link
 * io.kvreactive.index.internal.layout.IndexLayout}.
 */
@NullMarked
package io.kvreactive.index.internal.layout;

import org.jspecify.annotations.NullMarked;
