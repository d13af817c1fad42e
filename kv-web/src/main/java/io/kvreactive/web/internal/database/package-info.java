/** The databases of a server. Start with {@link io.kvreactive.web.internal.database.Databases}. */
@NullMarked
package io.kvreactive.web.internal.database;

import org.jspecify.annotations.NullMarked;
