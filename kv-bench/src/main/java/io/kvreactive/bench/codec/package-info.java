/** Micro benchmarks (JMH) of the codecs. */
@NullMarked
package io.kvreactive.bench.codec;

import org.jspecify.annotations.NullMarked;
