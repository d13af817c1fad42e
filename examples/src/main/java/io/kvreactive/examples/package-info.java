/**
 * Programs to run and to copy from: classes whose names end in {@code Example} have a {@code main}.
 * The parts of larger examples are in packages of their own. Start with {@link
 * io.kvreactive.examples.UsersExample}.
 */
@NullMarked
package io.kvreactive.examples;

import org.jspecify.annotations.NullMarked;
