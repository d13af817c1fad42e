/**
 * The implementation of the public interfaces over a store. Start with {@link
 * io.kvreactive.documents.internal.api.DefaultDocumentStore}.
 */
@NullMarked
package io.kvreactive.documents.internal.api;

import org.jspecify.annotations.NullMarked;
