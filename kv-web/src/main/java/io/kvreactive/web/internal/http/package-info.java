/**
 * The parts that all routes share: request contexts, errors, and streamed responses. Start with
 * {@link io.kvreactive.web.internal.http.RequestContext} and {@link
 * io.kvreactive.web.internal.http.Problem}.
 */
@NullMarked
package io.kvreactive.web.internal.http;

import org.jspecify.annotations.NullMarked;
