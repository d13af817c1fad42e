/**
 * Query planning: the choice of the indexes that serve a query, and the reasons for rejecting
 * others. Start with {@link io.kvreactive.documents.internal.plan.Planner}.
 */
@NullMarked
package io.kvreactive.documents.internal.plan;

import org.jspecify.annotations.NullMarked;
