/**
 * All classes that use internals of Vert.x, which has no public API for what they do. A release of
 * Vert.x may change these internals, so this package is kept small. Start with {@link
 * io.kvreactive.web.internal.vertx.LimitedServer}.
 */
@NullMarked
package io.kvreactive.web.internal.vertx;

import org.jspecify.annotations.NullMarked;
