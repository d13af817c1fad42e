/** The server's side of KV Connect. */
@NullMarked
package io.kvreactive.web.internal.connect;

import org.jspecify.annotations.NullMarked;
