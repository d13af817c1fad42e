/** Large stores in child processes: restart and small heap. */
@NullMarked
package io.kvreactive.bench.load;

import org.jspecify.annotations.NullMarked;
