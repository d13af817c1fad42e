package io.kvreactive.examples.unicode;

import java.util.stream.IntStream;
import reactor.core.publisher.Flux;

/**
 * The code points that this JDK knows a character for, or some of them.
 *
 * @param first inclusive
 * @param last inclusive
 */
public record Assigned(int first, int last) {
  public static final Assigned ALL =
      new Assigned(Character.MIN_CODE_POINT, Character.MAX_CODE_POINT);

  /** In order, each with a name of its own. */
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

  /** Surrogates are halves of a code point, and private use has no characters by definition. */
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
