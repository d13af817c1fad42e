package io.kvreactive.index.internal.encoding;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A value as a key tells it.
 *
 * @param tag of {@link ValueEncoding}
 * @param value a missing node for undefined, and for arrays and objects, which keys do not tell; a
 *     cut string up to where it is cut
 * @param exact whether {@code value} is what was written; false for cut strings, arrays, objects,
 *     and numbers beyond 2^53, of which an item may have more digits
 * @param next the offset of the byte after the value
 */
public record DecodedValue(int tag, JsonNode value, boolean exact, int next) {}
