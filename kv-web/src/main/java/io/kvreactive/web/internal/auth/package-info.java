/**
 * Authentication and authorization. Start with {@link io.kvreactive.web.internal.auth.Operation},
 * the table of rights, and {@link io.kvreactive.web.internal.auth.Grant}, the rights of a caller.
 */
@NullMarked
package io.kvreactive.web.internal.auth;

import org.jspecify.annotations.NullMarked;
