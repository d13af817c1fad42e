package io.kvreactive.examples.catalog;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Where products come from.
 *
 * @param what they are, in words
 * @param all of them; read anew by each subscription
 */
public record Products(String what, Flux<Product> all) {
  /** The packages that this machine knows of; the characters of Unicode where there are none. */
  public static Mono<Products> ofThisMachine() {
    return DebianPackages.all()
        .hasElements()
        .onErrorReturn(false)
        .map(
            there ->
                there
                    ? new Products("Debian packages", DebianPackages.all())
                    : new Products("characters of Unicode", UnicodeProducts.all()));
  }
}
