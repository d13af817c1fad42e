package io.kvreactive.examples.catalog;

import io.kvreactive.examples.catalog.Product.Tag;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import reactor.core.publisher.Flux;

/**
 * Provides the characters of Unicode that the JDK has names for as products, for systems other than
 * Debian.
 */
final class UnicodeProducts {
  private UnicodeProducts() {}

  static Flux<Product> all() {
    return Flux.range(0, Character.MAX_CODE_POINT + 1)
        .filter(point -> Character.isDefined(point) && Character.getName(point) != null)
        .filter(point -> Character.getType(point) != Character.SURROGATE)
        .map(UnicodeProducts::product);
  }

  private static Product product(int point) {
    String name = Objects.requireNonNull(Character.getName(point));
    String text = Character.toString(point);
    List<Tag> tags = new ArrayList<>();
    tags.add(new Tag("script", lower(Character.UnicodeScript.of(point).name())));
    for (String word : name.split(" ", -1)) {
      tags.add(new Tag("word", lower(word)));
    }
    Character.UnicodeBlock block = Character.UnicodeBlock.of(point);
    return new Product(
        "U+%04X".formatted(point),
        block == null ? "unknown" : lower(block.toString()),
        lower(name),
        text.getBytes(StandardCharsets.UTF_8).length * 1024L + point,
        "Unicode",
        List.copyOf(tags),
        text.toLowerCase(Locale.ROOT).codePoints().mapToObj("U+%04X"::formatted).toList());
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }
}
