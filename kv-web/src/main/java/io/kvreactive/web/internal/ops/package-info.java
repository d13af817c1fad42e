/**
 * Health probes and metrics for operators. Start with {@link
 * io.kvreactive.web.internal.ops.OpsRoutes}.
 */
@NullMarked
package io.kvreactive.web.internal.ops;

import org.jspecify.annotations.NullMarked;
