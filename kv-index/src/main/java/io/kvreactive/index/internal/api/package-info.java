/**
 * The implementation of the public interfaces over a store. Start with {@link
 * io.kvreactive.index.internal.api.DefaultDocumentStore}.
 */
@NullMarked
package io.kvreactive.index.internal.api;

import org.jspecify.annotations.NullMarked;
