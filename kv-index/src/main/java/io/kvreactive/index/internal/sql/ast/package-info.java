/** A query as it was written. Open {@link io.kvreactive.index.internal.sql.ast.Query} first. */
@NullMarked
package io.kvreactive.index.internal.sql.ast;

import org.jspecify.annotations.NullMarked;
