/**
 * For modules that add kinds of indexes and functions of queries. Open {@link
 * io.kvreactive.index.spi.IndexExtension}.
 */
@NullMarked
package io.kvreactive.index.spi;

import org.jspecify.annotations.NullMarked;
