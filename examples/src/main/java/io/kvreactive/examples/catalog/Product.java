package io.kvreactive.examples.catalog;

import java.util.List;

/**
 * A product, as the collection stores it.
 *
 * @param id the name
 * @param section the section, such as "games"
 * @param title a description of one line
 * @param size the size in bytes
 * @param maker the maintainer
 * @param tags the properties, each with a facet
 * @param needs the ids of the products that this one depends on
 */
public record Product(
    String id,
    String section,
    String title,
    long size,
    String maker,
    List<Tag> tags,
    List<String> needs) {

  /** A tag, such as the facet "implemented-in" with the value "c++". */
  public record Tag(String facet, String value) {}
}
