/** Helpers shared by the tests of several packages. */
@NullMarked
package io.kvreactive.index.internal;

import org.jspecify.annotations.NullMarked;
