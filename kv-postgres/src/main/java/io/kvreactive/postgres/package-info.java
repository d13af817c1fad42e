/**
 * A store in a PostgreSQL database, shared by any number of processes. Open {@link
 * io.kvreactive.postgres.PostgresOptions} first.
 */
@NullMarked
@Value.Style(
    builderVisibilityString = "PACKAGE",
    jdkOnly = true,
    allowedClasspathAnnotations = Override.class)
package io.kvreactive.postgres;

import org.immutables.value.Value;
import org.jspecify.annotations.NullMarked;
