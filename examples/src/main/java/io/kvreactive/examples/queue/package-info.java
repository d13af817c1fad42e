/** Orders, and the messages that are put into queues in the commits that change them. */
@NullMarked
package io.kvreactive.examples.queue;

import org.jspecify.annotations.NullMarked;
