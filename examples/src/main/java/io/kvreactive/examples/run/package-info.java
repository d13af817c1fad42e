/** What all examples share: opening and closing, arguments, the terminal, retries. */
@NullMarked
package io.kvreactive.examples.run;

import org.jspecify.annotations.NullMarked;
