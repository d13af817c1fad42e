/** The common parts of all examples: opening and closing, arguments, output, and retries. */
@NullMarked
package io.kvreactive.examples.run;

import org.jspecify.annotations.NullMarked;
