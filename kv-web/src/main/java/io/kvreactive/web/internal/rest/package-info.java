/**
 * The REST interface, {@code /api/v1}, and its description. Start with {@link
 * io.kvreactive.web.internal.rest.RestRoutes} and {@link
 * io.kvreactive.web.internal.rest.OperationRoutes}.
 */
@NullMarked
package io.kvreactive.web.internal.rest;

import org.jspecify.annotations.NullMarked;
