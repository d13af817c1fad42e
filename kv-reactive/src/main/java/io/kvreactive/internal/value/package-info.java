/**
 * V8's structured-clone format and its mapping to Java objects. Open {@link
 * io.kvreactive.internal.value.ValueMapper} first; {@link io.kvreactive.internal.value.V8Encoder}
 * and {@link io.kvreactive.internal.value.V8Decoder} traverse the values.
 */
@NullMarked
package io.kvreactive.internal.value;

import org.jspecify.annotations.NullMarked;
