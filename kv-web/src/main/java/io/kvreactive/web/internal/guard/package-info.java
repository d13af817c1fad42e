/**
 * The filters that requests and connections pass before a route handles them. Start with {@link
 * io.kvreactive.web.internal.guard.FilterChain} for requests and {@link
 * io.kvreactive.web.internal.guard.SocketGuard} for connections.
 */
@NullMarked
package io.kvreactive.web.internal.guard;

import org.jspecify.annotations.NullMarked;
