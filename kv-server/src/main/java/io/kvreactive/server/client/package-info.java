/**
 * The targets of client commands: a server, or the directory of a store. Open {@link
 * io.kvreactive.server.client.Target} first.
 */
@NullMarked
package io.kvreactive.server.client;

import org.jspecify.annotations.NullMarked;
