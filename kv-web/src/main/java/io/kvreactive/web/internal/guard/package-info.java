/** The filters that requests and connections pass before a route sees them. */
@NullMarked
package io.kvreactive.web.internal.guard;

import org.jspecify.annotations.NullMarked;
