/**
 * The common parts of all examples: opening and closing, arguments, output, and retries. Start with
 * {@link io.kvreactive.examples.run.Launcher}.
 */
@NullMarked
package io.kvreactive.examples.run;

import org.jspecify.annotations.NullMarked;
