/** The syntax tree of a query. Start with {@link io.kvreactive.index.internal.sql.ast.Query}. */
@NullMarked
package io.kvreactive.index.internal.sql.ast;

import org.jspecify.annotations.NullMarked;
