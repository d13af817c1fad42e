/**
 * Characters with vectors of their names, and the most similar ones. Open {@link NamedCharacters}.
 */
@NullMarked
package io.kvreactive.examples.similar;

import org.jspecify.annotations.NullMarked;
