/** The REST interface, {@code /api/v1}, and its description. */
@NullMarked
package io.kvreactive.web.internal.rest;

import org.jspecify.annotations.NullMarked;
