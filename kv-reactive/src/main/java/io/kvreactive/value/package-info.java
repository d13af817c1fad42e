/**
 * Java types for the JavaScript values that have no natural Java type. Most programs need none of
 * them: strings, numbers, maps, lists, records and {@code byte[]} travel as themselves. Open {@link
 * io.kvreactive.value.JsMap}, {@link io.kvreactive.value.JsUndefined} and {@link
 * io.kvreactive.value.JsTypedArray} first.
 *
 * <p>Together they keep everything that a JavaScript program can store: what is decoded and encoded
 * again has the same bytes. References survive by Java object identity, so a value may contain
 * itself; {@code equals}, {@code hashCode} and {@code toString} of such a value never end, as with
 * any Java collection.
 */
@NullMarked
package io.kvreactive.value;

import org.jspecify.annotations.NullMarked;
