/**
 * The compiled indexes of a collection, and the entries of an item in them. Start with {@link
 * io.kvreactive.documents.internal.layout.IndexLayout}.
 */
@NullMarked
package io.kvreactive.documents.internal.layout;

import org.jspecify.annotations.NullMarked;
