package io.kvreactive.examples.catalog;

import java.util.List;

/**
 * A product, as the collection stores it.
 *
 * @param id its name
 * @param section such as "games"
 * @param title one line about it
 * @param size in bytes
 * @param maker who makes it
 * @param tags what it is, each with a facet
 * @param needs what it works with, by id
 */
public record Product(
    String id,
    String section,
    String title,
    long size,
    String maker,
    List<Tag> tags,
    List<String> needs) {

  /** Such as facet "implemented-in" and value "c++". */
  public record Tag(String facet, String value) {}
}
