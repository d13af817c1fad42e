/** Scores of players, and a ranking that is never out of step with them. */
@NullMarked
package io.kvreactive.examples.leaderboard;

import org.jspecify.annotations.NullMarked;
