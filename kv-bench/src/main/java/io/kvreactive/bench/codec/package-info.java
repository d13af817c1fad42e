/**
 * Micro benchmarks (JMH) of the codecs. Start with {@link io.kvreactive.bench.codec.JmhCommand}.
 */
@NullMarked
package io.kvreactive.bench.codec;

import org.jspecify.annotations.NullMarked;
