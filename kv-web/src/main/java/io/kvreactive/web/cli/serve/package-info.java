/**
 * {@code kv serve}: its settings from flags, environment and file, its log, its signals. Open
 * {@link io.kvreactive.web.cli.serve.ServeCommand} first.
 */
@NullMarked
package io.kvreactive.web.cli.serve;

import org.jspecify.annotations.NullMarked;
