/**
 * The threads of collections: time slices, and fair scheduling between databases and callers. Start
 * with {@link io.kvreactive.documents.internal.worker.Workers}.
 */
@NullMarked
package io.kvreactive.documents.internal.worker;

import org.jspecify.annotations.NullMarked;
