/**
 * Java types for the JavaScript values that have no natural Java type. Most programs need none of
 * them: strings, numbers, maps, lists, records and {@code byte[]} are converted directly. Open
 * {@link io.kvreactive.value.JsMap}, {@link io.kvreactive.value.JsUndefined} and {@link
 * io.kvreactive.value.JsTypedArray} first.
 *
 * <p>Together they preserve everything that a JavaScript program can store: a value that is decoded
 * and encoded again has the same bytes. References are preserved as Java object identity, so a
 * value may contain itself; {@code equals}, {@code hashCode} and {@code toString} of such a value
 * never end, as with any Java collection.
 */
@NullMarked
package io.kvreactive.value;

import org.jspecify.annotations.NullMarked;
