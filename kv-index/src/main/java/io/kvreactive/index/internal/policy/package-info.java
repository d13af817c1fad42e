/** Reading, validation and normalization of indexing policies and definitions. */
@NullMarked
package io.kvreactive.index.internal.policy;

import org.jspecify.annotations.NullMarked;
