/**
 * The sorted image: a MapDB tree over a pager with atomic checkpoints. Open {@code SortedImage}
 * first, then {@code Pager}.
 */
@NullMarked
package io.kvreactive.internal.store.image;

import org.jspecify.annotations.NullMarked;
