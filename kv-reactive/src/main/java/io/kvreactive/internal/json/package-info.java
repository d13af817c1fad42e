/**
 * Keys and values as JSON and back, as {@code docs/json.md} describes it. Open {@link
 * io.kvreactive.internal.json.ValueJson} first; {@link io.kvreactive.internal.json.ValueWriter} and
 * {@link io.kvreactive.internal.json.ValueReader} walk the values.
 */
@NullMarked
package io.kvreactive.internal.json;

import org.jspecify.annotations.NullMarked;
