/** Health probes and metrics for operators. */
@NullMarked
package io.kvreactive.web.internal.ops;

import org.jspecify.annotations.NullMarked;
