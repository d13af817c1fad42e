package io.kvreactive.internal.shared;

/**
 * An element with its approximate size while it waits for its subscriber.
 *
 * @param element the element
 * @param bytes the size in bytes, at least 0
 */
public record Weighted<T>(T element, long bytes) {}
