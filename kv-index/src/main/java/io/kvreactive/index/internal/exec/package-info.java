/**
 * The execution of queries over indexes and items. Start with {@link
 * io.kvreactive.index.internal.exec.QueryRun}.
 */
@NullMarked
package io.kvreactive.index.internal.exec;

import org.jspecify.annotations.NullMarked;
