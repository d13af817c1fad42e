/** The toolkit. */
@NullMarked
package io.kvreactive;

import org.jspecify.annotations.NullMarked;
