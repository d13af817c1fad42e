/** JSON values as the query language sees them. */
@NullMarked
package io.kvreactive.index.internal.value;

import org.jspecify.annotations.NullMarked;
