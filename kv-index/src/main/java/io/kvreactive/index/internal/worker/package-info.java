/**
 * The threads of collections: time slices, and fair scheduling between databases and callers. Start
 * with {@link io.kvreactive.index.internal.worker.Workers}.
 */
@NullMarked
package io.kvreactive.index.internal.worker;

import org.jspecify.annotations.NullMarked;
