/**
 * Keys, values and entries as readable JSON, and back without loss: for exports, imports and HTTP.
 * Open {@link io.kvreactive.json.KvJson} first; {@code docs/json.md} specifies the notation.
 */
@NullMarked
package io.kvreactive.json;

import org.jspecify.annotations.NullMarked;
