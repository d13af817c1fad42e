/** What requests and connections must get past before a route sees them. */
@NullMarked
package io.kvreactive.web.internal.guard;

import org.jspecify.annotations.NullMarked;
