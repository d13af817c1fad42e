/**
 * The embedded engine: the mailbox and work loop of the store thread, reader threads, watches and
 * change feeds. Open {@code EmbeddedEngine} first.
 */
@NullMarked
package io.kvreactive.internal.engine;

import org.jspecify.annotations.NullMarked;
