/**
 * An order system on collections. {@link io.kvreactive.examples.orders.Orders} is the collection
 * that the others follow and read; {@link io.kvreactive.examples.orders.OrderLedger} has the money.
 */
@NullMarked
package io.kvreactive.examples.orders;

import org.jspecify.annotations.NullMarked;
