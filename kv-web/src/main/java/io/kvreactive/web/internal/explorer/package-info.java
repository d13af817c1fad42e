/**
 * The explorer page at {@code /}. Start with {@link
 * io.kvreactive.web.internal.explorer.ExplorerRoutes}.
 */
@NullMarked
package io.kvreactive.web.internal.explorer;

import org.jspecify.annotations.NullMarked;
