/**
 * A store in a PostgreSQL database, shared by any number of processes. Open {@link
 * io.kvreactive.postgres.PostgresOptions} first.
 */
@NullMarked
package io.kvreactive.postgres;

import org.jspecify.annotations.NullMarked;
