/**
 * The interface for modules that add kinds of indexes and query functions. Start with {@link
 * io.kvreactive.index.spi.IndexExtension}.
 */
@NullMarked
package io.kvreactive.index.spi;

import org.jspecify.annotations.NullMarked;
