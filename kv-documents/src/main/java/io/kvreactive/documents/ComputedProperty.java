package io.kvreactive.documents;

import java.util.Objects;

/**
 * A computed property: a top-level member that queries see in every item of a collection, and that
 * is not stored. Queries use it like a stored member; {@code SELECT *} does not include it. A
 * stored member of the same name is hidden from expressions and indexes.
 *
 * <p>The value is undefined if the query gives no result, or if it takes more than 2,000 calls or 4
 * MiB of memory.
 *
 * @param name the name of the member, 1 to 255 characters; not {@code id}, {@code ttl} or a name of
 *     the system such as {@code _ts}
 * @param query the query that computes the value from one item, such as {@code SELECT VALUE
 *     LOWER(c.name) FROM c}, at most 8,192 characters. It has no other clauses and no subqueries,
 *     and uses neither computed properties nor functions that depend on time, chance, shapes or
 *     vectors
 */
public record ComputedProperty(String name, String query) {
  public ComputedProperty {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(query, "query");
  }
}
