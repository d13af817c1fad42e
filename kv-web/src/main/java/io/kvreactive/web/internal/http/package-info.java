/**
 * What all routes share: request contexts, errors, responses, and their memory. Start with {@link
 * io.kvreactive.web.internal.http.RequestContext} and {@link
 * io.kvreactive.web.internal.http.Problem}, for memory with {@link
 * io.kvreactive.web.internal.http.Outlet} and {@link io.kvreactive.web.internal.http.ServerMemory}.
 */
@NullMarked
package io.kvreactive.web.internal.http;

import org.jspecify.annotations.NullMarked;
