/**
 * Measures the server's requests and streams, with the clients in another JVM. Start with {@link
 * io.kvreactive.bench.web.RestCommand}.
 */
@NullMarked
package io.kvreactive.bench.web;

import org.jspecify.annotations.NullMarked;
