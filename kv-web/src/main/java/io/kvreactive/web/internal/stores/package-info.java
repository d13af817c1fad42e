/** Where the databases of a server come from. */
@NullMarked
package io.kvreactive.web.internal.stores;

import org.jspecify.annotations.NullMarked;
