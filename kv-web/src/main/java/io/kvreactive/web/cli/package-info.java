/** The {@code kv} command: {@code serve}, and a client of a server. */
@NullMarked
package io.kvreactive.web.cli;

import org.jspecify.annotations.NullMarked;
