package io.kvreactive.examples.similar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class NameVectorsTest {
  private static double cosine(String one, String other) {
    float[] a = NameVectors.of(one);
    float[] b = NameVectors.of(other);
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += a[i] * b[i];
    }
    return sum;
  }

  @Test
  void createsSimilarVectorsForSimilarNames() {
    assertThat(cosine("snowman", "BLACK SNOWMAN"))
        .isGreaterThan(0.6)
        .isGreaterThan(cosine("snowman", "BLACK SUN WITH RAYS"));
    assertThat(cosine("arrow left", "Left-Arrow")).isCloseTo(1, within(1e-6));
  }

  @Test
  void createsAZeroVectorForANameWithoutLetters() {
    assertThat(NameVectors.of("?!")).hasSize(NameVectors.DIMENSIONS).containsOnly(0);
    assertThat(NameVectors.of("")).containsOnly(0);
  }

  @Test
  void excludesGeneratedNames() {
    assertThat(NamedCharacters.count()).isBetween(25_000, 60_000);
    assertThat(NamedCharacter.all().map(NamedCharacter::id)).contains("2603", "3B1", "1F600");
    assertThat(NamedCharacter.all().map(NamedCharacter::name))
        .noneMatch(name -> name.matches("CJK .*IDEOGRAPH.*[0-9A-F]{4,}|HANGUL SYLLABLES .*"));
  }
}
