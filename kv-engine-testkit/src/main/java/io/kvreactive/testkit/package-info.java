/**
 * The contracts of an engine, as tests that every engine runs. Open {@link
 * io.kvreactive.testkit.StoreFactory} first, then {@link io.kvreactive.testkit.KvContract} and its
 * subclasses. {@link io.kvreactive.testkit.KvTck} has the Reactive Streams compatibility kit.
 *
 * <p>The tests are written for JUnit Jupiter. A test is public, so that an engine can override it.
 */
@API(status = API.Status.EXPERIMENTAL)
@NullMarked
package io.kvreactive.testkit;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
