/**
 * The client commands of {@code kv}. Open {@link io.kvreactive.web.cli.command.TargetCommand}
 * first.
 */
@NullMarked
package io.kvreactive.web.cli.command;

import org.jspecify.annotations.NullMarked;
