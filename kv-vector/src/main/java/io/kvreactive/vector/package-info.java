/**
 * Approximate vector indexes: quantizedFlat and diskANN. The extension is {@link
 * io.kvreactive.vector.VectorExtension}.
 */
@API(status = API.Status.EXPERIMENTAL)
@NullMarked
package io.kvreactive.vector;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
