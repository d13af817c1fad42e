/** The explorer page at {@code /}. */
@NullMarked
package io.kvreactive.web.internal.explorer;

import org.jspecify.annotations.NullMarked;
