/** Measures the server's requests and streams, with the clients in another JVM. */
@NullMarked
package io.kvreactive.bench.web;

import org.jspecify.annotations.NullMarked;
