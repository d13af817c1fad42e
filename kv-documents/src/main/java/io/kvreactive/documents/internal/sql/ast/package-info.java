/**
 * The syntax tree of a query. Start with {@link io.kvreactive.documents.internal.sql.ast.Query}.
 */
@NullMarked
package io.kvreactive.documents.internal.sql.ast;

import org.jspecify.annotations.NullMarked;
