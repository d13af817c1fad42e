/** The change feed as server-sent events and by long polling. */
@NullMarked
package io.kvreactive.web.internal.feed;

import org.jspecify.annotations.NullMarked;
