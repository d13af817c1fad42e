/** Helpers shared by the tests of several packages. */
@NullMarked
package io.kvreactive.documents.internal;

import org.jspecify.annotations.NullMarked;
