/** Measurements that are run from the command line. Start with {@code BenchMain}. */
@NullMarked
package io.kvreactive.bench;

import org.jspecify.annotations.NullMarked;
