/** The composition of the routes. */
@NullMarked
package io.kvreactive.web.internal;

import org.jspecify.annotations.NullMarked;
