/**
 * Query planning: the choice of the indexes that serve a query, and the reasons for rejecting
 * others.
 */
@NullMarked
package io.kvreactive.index.internal.plan;

import org.jspecify.annotations.NullMarked;
