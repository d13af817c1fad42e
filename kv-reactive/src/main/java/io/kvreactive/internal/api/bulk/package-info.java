/**
 * Much at once: what is too long for one commit, cut into many. Open {@code BulkLoader} and {@code
 * CommitPacker} first.
 */
@NullMarked
package io.kvreactive.internal.api.bulk;

import org.jspecify.annotations.NullMarked;
