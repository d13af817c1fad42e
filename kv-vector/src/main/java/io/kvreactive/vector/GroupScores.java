package io.kvreactive.vector;

import io.github.jbellis.jvector.graph.similarity.ScoreFunction;

/** Scores that are computed faster for several ordinals together than for each alone. */
interface GroupScores extends ScoreFunction {
  /** Number of ordinals that are read together. */
  int GROUP = 4;

  /**
   * Computes the scores of the first {@code count} ordinals.
   *
   * @param scores the result, whose length is at least {@code count + GROUP - 1}
   */
  void similarities(int[] ordinals, int count, float[] scores);
}
