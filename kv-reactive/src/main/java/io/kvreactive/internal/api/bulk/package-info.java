/**
 * Bulk operations: loads and batched operations, split into many commits. Open {@code BulkLoader}
 * and {@code CommitPacker} first.
 */
@NullMarked
package io.kvreactive.internal.api.bulk;

import org.jspecify.annotations.NullMarked;
