/** Key layout of a collection, and the stored forms of its definition, items and state. */
@NullMarked
package io.kvreactive.index.internal.store;

import org.jspecify.annotations.NullMarked;
