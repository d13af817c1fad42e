/** What tests of several parts share. */
@NullMarked
package io.kvreactive.index.internal;

import org.jspecify.annotations.NullMarked;
