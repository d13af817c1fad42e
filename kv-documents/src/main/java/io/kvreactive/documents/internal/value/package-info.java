/**
 * JSON values with the semantics of the query language. Start with {@link
 * io.kvreactive.documents.internal.value.Values}.
 */
@NullMarked
package io.kvreactive.documents.internal.value;

import org.jspecify.annotations.NullMarked;
