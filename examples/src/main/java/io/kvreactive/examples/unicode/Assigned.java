package io.kvreactive.examples.unicode;

import java.util.stream.IntStream;
import reactor.core.publisher.Flux;

/**
 * The code points of a range to which this JDK assigns a character.
 *
 * @param first the first code point, inclusive
 * @param last the last code point, inclusive
 */
public record Assigned(int first, int last) {
  public static final Assigned ALL =
      new Assigned(Character.MIN_CODE_POINT, Character.MAX_CODE_POINT);

  /** Emits the characters in order, each with a unique name. */
  public Flux<CodePoint> characters() {
    return Flux.defer(
        () -> {
          UniqueNames names = new UniqueNames();
          return Flux.fromStream(() -> codePoints().boxed())
              .map(codePoint -> CodePoint.of(codePoint, names.of(codePoint)));
        });
  }

  public int count() {
    return (int) codePoints().count();
  }

  /**
   * Returns the assigned code points. Surrogates are halves of a code point, and private use has no
   * characters by definition.
   */
  private IntStream codePoints() {
    return IntStream.rangeClosed(first, last)
        .filter(
            codePoint ->
                switch (Character.getType(codePoint)) {
                  case Character.UNASSIGNED, Character.SURROGATE, Character.PRIVATE_USE -> false;
                  default -> true;
                });
  }
}
