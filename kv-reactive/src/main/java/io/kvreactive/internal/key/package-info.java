/**
 * The encoding of keys: the subset of FoundationDB's tuple layer that Deno KV uses. Open {@link
 * io.kvreactive.internal.key.TupleWriter} and {@link io.kvreactive.internal.key.TupleReader} first.
 */
@NullMarked
package io.kvreactive.internal.key;

import org.jspecify.annotations.NullMarked;
