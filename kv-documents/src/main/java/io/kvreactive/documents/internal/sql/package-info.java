/**
 * The parser and binder of queries: from text to a semantically valid tree. Start with {@link
 * io.kvreactive.documents.internal.sql.Sql} and {@link
 * io.kvreactive.documents.internal.sql.QueryBinder}.
 */
@NullMarked
package io.kvreactive.documents.internal.sql;

import org.jspecify.annotations.NullMarked;
