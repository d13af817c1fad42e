/**
 * The composition of the routes. Start with {@link io.kvreactive.web.internal.ServerRoutes}, which
 * mounts them, and {@link io.kvreactive.web.internal.ServerContext}, which they share.
 */
@NullMarked
package io.kvreactive.web.internal;

import org.jspecify.annotations.NullMarked;
