/**
 * From the text of a query to a tree that is known to make sense. Open {@link
 * io.kvreactive.index.internal.sql.Sql} and {@link io.kvreactive.index.internal.sql.QueryBinder}
 * first.
 */
@NullMarked
package io.kvreactive.index.internal.sql;

import org.jspecify.annotations.NullMarked;
