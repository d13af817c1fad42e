/** JSON values with the semantics of the query language. */
@NullMarked
package io.kvreactive.index.internal.value;

import org.jspecify.annotations.NullMarked;
