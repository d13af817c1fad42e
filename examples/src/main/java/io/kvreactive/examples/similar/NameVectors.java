package io.kvreactive.examples.similar;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Vectors of names: the numbers of the 3-grams of each word, indexed by hash. Names with many
 * common 3-grams have a high cosine similarity.
 */
public final class NameVectors {
  /** Number of elements of a vector. */
  public static final int DIMENSIONS = 256;

  private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}]+");
  private static final int GRAM = 3;
  private static final int SIGN_BIT = 1 << 30;

  private NameVectors() {}

  /**
   * Returns the vector of a name, of length 1, or of zeros if the name has no letter or digit. The
   * case of letters and the order of words do not matter.
   */
  public static float[] of(String name) {
    float[] vector = new float[DIMENSIONS];
    WORD.matcher(name.toLowerCase(Locale.ROOT))
        .results()
        .forEach(word -> count(" " + word.group() + " ", vector));
    double squares = 0;
    for (float element : vector) {
      squares += (double) element * element;
    }
    if (squares > 0) {
      for (int i = 0; i < DIMENSIONS; i++) {
        vector[i] = (float) (vector[i] / Math.sqrt(squares));
      }
    }
    return vector;
  }

  /** Adds the 3-grams of a word that has a blank before and behind it. */
  private static void count(String word, float[] vector) {
    for (int start = 0; start + GRAM <= word.length(); start++) {
      int hash = mix(word.substring(start, start + GRAM).hashCode());
      // half of the 3-grams are subtracted, so that collisions cancel out on average
      vector[Math.floorMod(hash, DIMENSIONS)] += (hash & SIGN_BIT) == 0 ? 1 : -1;
    }
  }

  /** Spreads all bits of a hash over all bits of the result, as MurmurHash3 does at its end. */
  private static int mix(int hash) {
    int mixed = (hash ^ hash >>> 16) * 0x85ebca6b;
    mixed = (mixed ^ mixed >>> 13) * 0xc2b2ae35;
    return mixed ^ mixed >>> 16;
  }
}
