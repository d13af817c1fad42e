/** Implementations of {@link io.kvreactive.web.internal.database.Databases}. */
@NullMarked
package io.kvreactive.web.internal.stores;

import org.jspecify.annotations.NullMarked;
