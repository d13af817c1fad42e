/** Reading, checking and normalising indexing policies. */
@NullMarked
package io.kvreactive.index.internal.policy;

import org.jspecify.annotations.NullMarked;
