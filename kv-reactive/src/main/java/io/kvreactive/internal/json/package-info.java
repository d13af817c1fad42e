/**
 * Converts keys and values to JSON and back, as {@code docs/json.md} specifies. Open {@link
 * io.kvreactive.internal.json.ValueJson} first; {@link io.kvreactive.internal.json.ValueWriter} and
 * {@link io.kvreactive.internal.json.ValueReader} traverse the values.
 */
@NullMarked
package io.kvreactive.internal.json;

import org.jspecify.annotations.NullMarked;
