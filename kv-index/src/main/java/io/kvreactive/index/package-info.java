/**
 * Collections of JSON documents with declared secondary indexes and queries, over any {@code Kv}.
 * Start with {@link io.kvreactive.index.DocumentStore}, {@link
 * io.kvreactive.index.DocumentCollection} and {@link io.kvreactive.index.CollectionDefinition}.
 */
@NullMarked
@Value.Style(
    builderVisibilityString = "PACKAGE",
    jdkOnly = true,
    allowedClasspathAnnotations = Override.class)
package io.kvreactive.index;

import org.immutables.value.Value;
import org.jspecify.annotations.NullMarked;
