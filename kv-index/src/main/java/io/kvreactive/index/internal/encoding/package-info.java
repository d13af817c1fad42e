/** Order-preserving byte encodings of values and document ids. */
@NullMarked
package io.kvreactive.index.internal.encoding;

import org.jspecify.annotations.NullMarked;
