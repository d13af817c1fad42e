/**
 * The sorted image: a MapDB tree over a pager whose checkpoints a crash cannot tear. Open {@code
 * SortedImage} first, then {@code Pager}.
 */
@NullMarked
package io.kvreactive.internal.store.image;

import org.jspecify.annotations.NullMarked;
