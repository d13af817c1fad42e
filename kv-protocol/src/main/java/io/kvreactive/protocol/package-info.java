/**
 * The JSON messages between servers of documents and their clients. Each has one description, from
 * which its reader and its writer follow. Open {@link io.kvreactive.protocol.Members} first, then
 * {@link io.kvreactive.protocol.CollectionMessages}.
 *
 * <p>This package is internal to the modules of this project. It is no contract and may change in
 * any release.
 */
@NullMarked
package io.kvreactive.protocol;

import org.jspecify.annotations.NullMarked;
