/** Small files outside the stores: noticed when they change, and written as a whole. */
@NullMarked
package io.kvreactive.web.internal.files;

import org.jspecify.annotations.NullMarked;
