/** Items and definitions: reading, writing, changing. */
@NullMarked
package io.kvreactive.index.internal.collection;

import org.jspecify.annotations.NullMarked;
