/** How the routes are put together. */
@NullMarked
package io.kvreactive.web.internal;

import org.jspecify.annotations.NullMarked;
