/**
 * Change feeds: what responses and subscriptions read, and the change feed as server-sent events
 * and by long polling. Start with {@link io.kvreactive.web.internal.feed.Feed} and {@link
 * io.kvreactive.web.internal.feed.FeedRoutes}.
 */
@NullMarked
package io.kvreactive.web.internal.feed;

import org.jspecify.annotations.NullMarked;
