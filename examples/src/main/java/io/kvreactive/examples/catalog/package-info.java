/**
 * A catalogue of real products. Open {@link io.kvreactive.examples.catalog.Catalogue} first, then
 * {@link io.kvreactive.examples.catalog.Questions}.
 */
@NullMarked
package io.kvreactive.examples.catalog;

import org.jspecify.annotations.NullMarked;
