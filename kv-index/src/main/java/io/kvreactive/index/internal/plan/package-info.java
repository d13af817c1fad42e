/** Which indexes serve a query, and why not others. */
@NullMarked
package io.kvreactive.index.internal.plan;

import org.jspecify.annotations.NullMarked;
