/** Where the keys of a collection stand, and its definition and state as stored. */
@NullMarked
package io.kvreactive.index.internal.store;

import org.jspecify.annotations.NullMarked;
