/**
 * The interfaces for modules that add kinds of indexes and query functions, and for clients of a
 * server. Start with {@link io.kvreactive.index.spi.IndexExtension} and {@link
 * io.kvreactive.index.spi.DocumentConnector}.
 */
@NullMarked
package io.kvreactive.index.spi;

import org.jspecify.annotations.NullMarked;
