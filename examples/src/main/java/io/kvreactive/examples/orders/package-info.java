/** A small order system on collections: orders, and two groups that process their changes. */
@NullMarked
package io.kvreactive.examples.orders;

import org.jspecify.annotations.NullMarked;
