/**
 * The store over the network. {@link io.kvreactive.web.KvServer} is a standalone server; {@link
 * io.kvreactive.web.KvRoutes} mounts the same routes in a router of yours.
 */
@NullMarked
package io.kvreactive.web;

import org.jspecify.annotations.NullMarked;
