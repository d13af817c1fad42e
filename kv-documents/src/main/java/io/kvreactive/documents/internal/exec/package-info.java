/**
 * The execution of queries over indexes and items. Start with {@link
 * io.kvreactive.documents.internal.exec.QueryRun}.
 */
@NullMarked
package io.kvreactive.documents.internal.exec;

import org.jspecify.annotations.NullMarked;
