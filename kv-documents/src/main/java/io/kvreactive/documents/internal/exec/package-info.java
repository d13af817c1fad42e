/**
 * The execution of queries over indexes and items. Start with {@link
 * io.kvreactive.documents.internal.exec.QueryRun}. An operator is added as a {@link
 * io.kvreactive.documents.internal.exec.CandidateSource}, or as a row stream of {@link
 * io.kvreactive.documents.internal.exec.RowStreamFactory}; docs/adding-an-operation.md has the
 * steps.
 */
@NullMarked
package io.kvreactive.documents.internal.exec;

import org.jspecify.annotations.NullMarked;
