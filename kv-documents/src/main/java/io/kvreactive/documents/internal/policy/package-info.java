/**
 * Reading, validation and normalization of indexing policies and definitions. Start with {@link
 * io.kvreactive.documents.internal.policy.DefinitionReader}.
 */
@NullMarked
package io.kvreactive.documents.internal.policy;

import org.jspecify.annotations.NullMarked;
