/**
 * Order-preserving byte encodings of values and document ids. Start with {@link
 * io.kvreactive.documents.internal.encoding.ValueEncoding}.
 */
@NullMarked
package io.kvreactive.documents.internal.encoding;

import org.jspecify.annotations.NullMarked;
