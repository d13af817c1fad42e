/** The server's streams, with the clients in another JVM than the server. */
@NullMarked
package io.kvreactive.bench.web;

import org.jspecify.annotations.NullMarked;
