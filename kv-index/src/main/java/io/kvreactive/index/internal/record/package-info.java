/**
 * Writes and indexes of {@link io.kvreactive.index.RecordStore}. Start with {@link
 * io.kvreactive.index.internal.record.RecordIndex}.
 */
@NullMarked
package io.kvreactive.index.internal.record;

import org.jspecify.annotations.NullMarked;
