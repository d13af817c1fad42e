/**
 * Collection definitions and background work: index builds and drops, lazy indexing, expiry, and
 * maintenance of vector indexes. Start with {@link
 * io.kvreactive.index.internal.transform.MaintenanceService}.
 */
@NullMarked
package io.kvreactive.index.internal.transform;

import org.jspecify.annotations.NullMarked;
