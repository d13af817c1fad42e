/** The parts that all routes share: request contexts, errors, and streamed responses. */
@NullMarked
package io.kvreactive.web.internal.http;

import org.jspecify.annotations.NullMarked;
