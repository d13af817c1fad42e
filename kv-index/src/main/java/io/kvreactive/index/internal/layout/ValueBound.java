package io.kvreactive.index.internal.layout;

import com.fasterxml.jackson.databind.JsonNode;

/** A bound of a range of values. */
public record ValueBound(JsonNode value, boolean inclusive) {}
