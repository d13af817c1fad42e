/**
 * The interface between {@code Kv} and its engine, for custom engines: the store as byte strings,
 * without user types. Open {@link io.kvreactive.spi.KvEngine} first, then {@link
 * io.kvreactive.spi.Commit}. {@link io.kvreactive.spi.CommitRules} applies the mutations of a
 * commit, and {@link io.kvreactive.spi.SerialSubscription} is the base of publishers that emit on
 * demand. The artifact {@code kv-engine-testkit} has the tests of an engine.
 */
@API(status = API.Status.EXPERIMENTAL)
@NullMarked
package io.kvreactive.spi;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
