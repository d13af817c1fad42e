/**
 * Spatial query functions and spatial indexes. The extension is {@link
 * io.kvreactive.spatial.SpatialExtension}.
 */
@NullMarked
package io.kvreactive.spatial;

import org.jspecify.annotations.NullMarked;
