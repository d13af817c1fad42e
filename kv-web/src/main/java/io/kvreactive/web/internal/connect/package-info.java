/**
 * The server's side of KV Connect. Start with {@link
 * io.kvreactive.web.internal.connect.ConnectRoutes}.
 */
@NullMarked
package io.kvreactive.web.internal.connect;

import org.jspecify.annotations.NullMarked;
