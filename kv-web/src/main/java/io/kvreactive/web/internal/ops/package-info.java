/** What operators ask: health and metrics. */
@NullMarked
package io.kvreactive.web.internal.ops;

import org.jspecify.annotations.NullMarked;
