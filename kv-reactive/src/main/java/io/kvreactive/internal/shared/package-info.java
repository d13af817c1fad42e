/**
 * Classes that several modules of kv-reactive use. Only these modules may use it, and no public
 * signature names its types (docs/adr/0031). Open {@code SubscriberContext} first, then {@code
 * PagedFlux}.
 */
@NullMarked
package io.kvreactive.internal.shared;

import org.jspecify.annotations.NullMarked;
