package io.kvreactive.documents.internal.layout;

import io.kvreactive.documents.internal.path.IndexPath;

/** One path of a composite index. */
public record CompositeComponent(IndexPath path, boolean descending) {}
