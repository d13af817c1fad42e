/**
 * The client commands of {@code kv}. Open {@link io.kvreactive.server.command.TargetCommand} first.
 */
@NullMarked
package io.kvreactive.server.command;

import org.jspecify.annotations.NullMarked;
