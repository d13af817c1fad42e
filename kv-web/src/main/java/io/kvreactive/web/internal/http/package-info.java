/** What all routes share: a request's call, its errors, streams of answers. */
@NullMarked
package io.kvreactive.web.internal.http;

import org.jspecify.annotations.NullMarked;
