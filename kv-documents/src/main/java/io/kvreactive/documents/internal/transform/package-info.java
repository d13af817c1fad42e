/**
 * Collection definitions and background work: index builds and drops, lazy indexing, expiry, and
 * maintenance of vector indexes. Start with {@link
 * io.kvreactive.documents.internal.transform.MaintenanceService}.
 */
@NullMarked
package io.kvreactive.documents.internal.transform;

import org.jspecify.annotations.NullMarked;
