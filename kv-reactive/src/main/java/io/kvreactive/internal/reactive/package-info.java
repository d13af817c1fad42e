/**
 * The bridge between Vert.x contexts and Reactor: the context on which signals are emitted. Open
 * {@code SubscriberContext} first.
 */
@NullMarked
package io.kvreactive.internal.reactive;

import org.jspecify.annotations.NullMarked;
