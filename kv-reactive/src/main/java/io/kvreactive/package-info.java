/**
 * The toolkit. Open {@link io.kvreactive.Kv} first, then {@link io.kvreactive.KvKey} and {@link
 * io.kvreactive.AtomicOperation}.
 */
@NullMarked
package io.kvreactive;

import org.jspecify.annotations.NullMarked;
