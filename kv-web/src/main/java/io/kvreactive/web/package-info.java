/**
 * The store over the network. {@link io.kvreactive.web.KvServer} is a standalone server; {@link
 * io.kvreactive.web.KvRoutes} mounts the same routes in a router of yours.
 */
@NullMarked
@Value.Style(
    builderVisibilityString = "PACKAGE",
    jdkOnly = true,
    allowedClasspathAnnotations = Override.class)
package io.kvreactive.web;

import org.immutables.value.Value;
import org.jspecify.annotations.NullMarked;
