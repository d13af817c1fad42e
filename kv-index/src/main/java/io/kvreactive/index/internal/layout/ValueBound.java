package io.kvreactive.index.internal.layout;

import com.fasterxml.jackson.databind.JsonNode;

/** One end of a range of values. */
public record ValueBound(JsonNode value, boolean inclusive) {}
