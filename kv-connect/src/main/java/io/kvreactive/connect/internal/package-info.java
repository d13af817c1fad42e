/**
 * The client of KV Connect. Open {@code RemoteEngine} first, then {@code RetryingCaller}, which
 * says what is tried again, and {@code RemoteWatchStream}. All of it runs on one event loop, that
 * of {@code RemoteVerticle}.
 */
@NullMarked
package io.kvreactive.connect.internal;

import org.jspecify.annotations.NullMarked;
