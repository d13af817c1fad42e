/**
 * The embedded engine: mailbox, store verticle's work loop, reader threads, watches. Open {@code
 * EmbeddedEngine} first.
 */
@NullMarked
package io.kvreactive.internal.engine;

import org.jspecify.annotations.NullMarked;
