/** What a {@link io.kvreactive.index.RecordStore} writes. */
@NullMarked
package io.kvreactive.index.internal.record;

import org.jspecify.annotations.NullMarked;
