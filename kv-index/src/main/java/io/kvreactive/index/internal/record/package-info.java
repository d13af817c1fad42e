/** Writes and indexes of {@link io.kvreactive.index.RecordStore}. */
@NullMarked
package io.kvreactive.index.internal.record;

import org.jspecify.annotations.NullMarked;
