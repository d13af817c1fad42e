/** The execution of queries over indexes and items. */
@NullMarked
package io.kvreactive.index.internal.exec;

import org.jspecify.annotations.NullMarked;
