/** Orders whose messages are enqueued in the commits that change them. */
@NullMarked
package io.kvreactive.examples.queue;

import org.jspecify.annotations.NullMarked;
