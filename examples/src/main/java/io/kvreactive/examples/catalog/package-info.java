/**
 * A catalogue of products made of real data. Open {@link io.kvreactive.examples.catalog.Catalogue}
 * first, then {@link io.kvreactive.examples.catalog.Questions}.
 */
@NullMarked
package io.kvreactive.examples.catalog;

import org.jspecify.annotations.NullMarked;
