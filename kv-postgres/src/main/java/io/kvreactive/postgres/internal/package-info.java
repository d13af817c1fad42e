/**
 * The engine on PostgreSQL. Open {@link io.kvreactive.postgres.internal.PostgresEngine} first, then
 * {@link io.kvreactive.postgres.internal.CommitWriter}.
 */
@NullMarked
package io.kvreactive.postgres.internal;

import org.jspecify.annotations.NullMarked;
