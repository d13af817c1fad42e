package io.kvreactive.examples.orders;

/** The invoice of an order, with the id of the order. */
public record Invoice(String id, String customer, long cents) {}
