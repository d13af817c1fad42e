/** Authentication and authorization. */
@NullMarked
package io.kvreactive.web.internal.auth;

import org.jspecify.annotations.NullMarked;
