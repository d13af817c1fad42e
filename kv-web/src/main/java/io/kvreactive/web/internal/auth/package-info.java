/** Who may do what. */
@NullMarked
package io.kvreactive.web.internal.auth;

import org.jspecify.annotations.NullMarked;
