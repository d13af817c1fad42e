/**
 * {@code kv serve}: its settings from flags, environment and file, its log, its signals. Open
 * {@link io.kvreactive.server.serve.ServeCommand} first.
 */
@NullMarked
package io.kvreactive.server.serve;

import org.jspecify.annotations.NullMarked;
