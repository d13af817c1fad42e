/**
 * The client of KV Connect. Open {@code RemoteEngine} first, then {@code RetryingCaller}, which has
 * the rules for retries, and {@code RemoteWatchStream}. All code runs on one event loop, that of
 * the client.
 */
@NullMarked
package io.kvreactive.connect.internal;

import org.jspecify.annotations.NullMarked;
