/**
 * Collections of JSON documents with declared secondary indexes and queries, over any {@code Kv}.
 * Start with {@link io.kvreactive.documents.DocumentStore}, {@link
 * io.kvreactive.documents.DocumentCollection} and {@link
 * io.kvreactive.documents.CollectionDefinition}.
 */
@NullMarked
@Value.Style(
    builderVisibilityString = "PACKAGE",
    jdkOnly = true,
    allowedClasspathAnnotations = Override.class)
package io.kvreactive.documents;

import org.immutables.value.Value;
import org.jspecify.annotations.NullMarked;
