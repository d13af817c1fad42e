package io.kvreactive.index.internal.layout;

import io.kvreactive.index.internal.path.IndexPath;

/** One path of a composite index. */
public record CompositeComponent(IndexPath path, boolean descending) {}
