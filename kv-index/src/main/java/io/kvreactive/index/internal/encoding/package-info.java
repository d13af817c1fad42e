/**
 * Order-preserving byte encodings of values and document ids. Start with {@link
 * io.kvreactive.index.internal.encoding.ValueEncoding}.
 */
@NullMarked
package io.kvreactive.index.internal.encoding;

import org.jspecify.annotations.NullMarked;
