/** The databases of a server. */
@NullMarked
package io.kvreactive.web.internal.database;

import org.jspecify.annotations.NullMarked;
