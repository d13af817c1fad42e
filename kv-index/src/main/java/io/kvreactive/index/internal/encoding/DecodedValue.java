package io.kvreactive.index.internal.encoding;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A value decoded from a key.
 *
 * @param tag the tag, see {@link ValueEncoding}
 * @param value the value; a missing node for undefined, and for arrays and objects, whose keys hold
 *     only a hash; for a truncated string, its beginning
 * @param exact true if {@code value} is the written value; false for truncated strings, arrays,
 *     objects, and numbers beyond 2^53, of which an item may have more digits
 * @param next the offset of the byte after the value
 */
public record DecodedValue(int tag, JsonNode value, boolean exact, int next) {}
