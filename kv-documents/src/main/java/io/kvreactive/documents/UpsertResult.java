package io.kvreactive.documents;

/**
 * The result of {@link DocumentCollection#put}.
 *
 * @param <T> the type of the document
 * @param item the item as written
 * @param isCreated true if the item was created, false if it replaced an item with the same id
 */
public record UpsertResult<T>(Item<T> item, boolean isCreated) {}
