package io.kvreactive.examples;

/** An order as stored. */
public record Order(String customer, int cents) {}
