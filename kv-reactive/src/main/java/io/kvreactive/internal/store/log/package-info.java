/**
 * The commit log: segment files of checksummed frames. Open {@code CommitLog} first, then {@code
 * Frame}.
 */
@NullMarked
package io.kvreactive.internal.store.log;

import org.jspecify.annotations.NullMarked;
