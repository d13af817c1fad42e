/**
 * The parser and binder of queries: from text to a semantically valid tree. Start with {@link
 * io.kvreactive.index.internal.sql.Sql} and {@link io.kvreactive.index.internal.sql.QueryBinder}.
 */
@NullMarked
package io.kvreactive.index.internal.sql;

import org.jspecify.annotations.NullMarked;
