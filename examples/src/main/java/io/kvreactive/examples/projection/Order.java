package io.kvreactive.examples.projection;

/** An order as stored. */
public record Order(String customer, int cents) {}
