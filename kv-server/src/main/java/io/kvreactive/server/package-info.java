/**
 * The {@code kv} command: {@code serve}, and a client of a server. Open {@link
 * io.kvreactive.server.KvMain} first.
 */
@NullMarked
package io.kvreactive.server;

import org.jspecify.annotations.NullMarked;
