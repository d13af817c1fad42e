/**
 * Reading, validation and normalization of indexing policies and definitions. Start with {@link
 * io.kvreactive.index.internal.policy.DefinitionReader}.
 */
@NullMarked
package io.kvreactive.index.internal.policy;

import org.jspecify.annotations.NullMarked;
