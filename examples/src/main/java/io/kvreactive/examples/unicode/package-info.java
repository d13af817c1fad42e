/**
 * The characters of Unicode and their indexes. Open {@link
 * io.kvreactive.examples.unicode.Characters} first, then {@link
 * io.kvreactive.examples.unicode.Loader}.
 */
@NullMarked
package io.kvreactive.examples.unicode;

import org.jspecify.annotations.NullMarked;
