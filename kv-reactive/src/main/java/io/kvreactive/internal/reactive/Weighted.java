package io.kvreactive.internal.reactive;

/**
 * An element and about how many bytes it takes while it waits for its subscriber.
 *
 * @param bytes at least 0
 */
public record Weighted<T>(T element, long bytes) {}
