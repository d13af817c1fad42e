/**
 * Spatial query functions and spatial indexes. The extension is {@link
 * io.kvreactive.spatial.SpatialExtension}.
 */
@API(status = API.Status.EXPERIMENTAL)
@NullMarked
package io.kvreactive.spatial;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
