/** Measures this store beside other embedded ones. Start with {@code PeersCommand}. */
@NullMarked
package io.kvreactive.bench.peers;

import org.jspecify.annotations.NullMarked;
