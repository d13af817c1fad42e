/** This store beside other embedded ones: {@code bench peers}. */
@NullMarked
package io.kvreactive.bench.peers;

import org.jspecify.annotations.NullMarked;
