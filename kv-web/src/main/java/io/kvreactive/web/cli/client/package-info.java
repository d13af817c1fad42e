/**
 * The targets of client commands: a server, or the directory of a store. Open {@link
 * io.kvreactive.web.cli.client.Target} first.
 */
@NullMarked
package io.kvreactive.web.cli.client;

import org.jspecify.annotations.NullMarked;
