/**
 * Implementations of {@link io.kvreactive.web.internal.database.Databases}. They are apart from the
 * interface, because requests depend on the interface and {@link
 * io.kvreactive.web.internal.stores.StoreDatabases} on the errors of requests.
 */
@NullMarked
package io.kvreactive.web.internal.stores;

import org.jspecify.annotations.NullMarked;
