/**
 * JSON values with the semantics of the query language. Start with {@link
 * io.kvreactive.index.internal.value.Values}.
 */
@NullMarked
package io.kvreactive.index.internal.value;

import org.jspecify.annotations.NullMarked;
