/**
 * Collections, items and queries over HTTP. Open {@link
 * io.kvreactive.web.internal.collections.CollectionRoutes} first.
 */
@NullMarked
package io.kvreactive.web.internal.collections;

import org.jspecify.annotations.NullMarked;
