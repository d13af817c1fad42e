package io.kvreactive.examples.catalog;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A source of products.
 *
 * @param what a description of the products
 * @param all the products, which each subscription reads again
 */
public record Products(String what, Flux<Product> all) {
  /** Emits the packages that this machine knows, or the characters of Unicode if there are none. */
  public static Mono<Products> ofThisMachine() {
    return DebianPackages.all()
        .hasElements()
        .onErrorReturn(false)
        .map(there -> there ? new Products("Debian packages", DebianPackages.all()) : ofUnicode());
  }

  /** Returns the characters of Unicode as products. */
  public static Products ofUnicode() {
    return new Products("characters of Unicode", UnicodeProducts.all());
  }
}
