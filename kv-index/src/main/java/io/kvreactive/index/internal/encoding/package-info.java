/** Values and item numbers as bytes whose order is theirs. */
@NullMarked
package io.kvreactive.index.internal.encoding;

import org.jspecify.annotations.NullMarked;
